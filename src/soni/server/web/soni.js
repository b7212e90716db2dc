// The chat of an assistant, for any page: <script src="https://your-server/soni.js" defer></script>
// Attributes of the script tag (or of a <soni-chat> element): data-token, data-name, data-accent, data-theme, data-lang.
// No library, no build step: what you read is what runs.
(() => {
  "use strict";

  const assistant = "{assistant}";
  const script = document.currentScript;
  const base = new URL(".", script ? script.src : document.baseURI).href.replace(/\/$/, "");

  const ICONS = {
    chat: "M21 12a8 8 0 0 1-8 8H4l2-3a8 8 0 1 1 15-5z", send: "M4 12 20 4l-5 16-4-6z", close: "M6 6l12 12M18 6 6 18",
    again: "M4 12a8 8 0 1 0 3-6.2M4 4v4h4",
  };
  const SILENCE = 40_000; // the server gives a sign of life every 15 s

  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value === true) element.setAttribute(name, "");
      else if (value !== false && value != null) element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  };
  const icon = (name) => {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", "0 0 24 24");
    svg.setAttribute("aria-hidden", "true");
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", ICONS[name]);
    svg.append(path);
    return svg;
  };
  const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
  const fresh = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
  const turnOf = (id) => Number(id.split("/")[1]);

  // Where things are kept between two visits; some pages forbid that, and then they last as long as the page.
  const kept = (storage) => {
    const memory = new Map();
    const guarded = (work, otherwise) => { try { return work(); } catch { return otherwise(); } };
    return {
      get: (key) => guarded(() => JSON.parse(storage().getItem(key)), () => memory.get(key) ?? null),
      set: (key, value) => guarded(() => storage().setItem(key, JSON.stringify(value)), () => memory.set(key, value)),
      remove: (key) => guarded(() => storage().removeItem(key), () => memory.delete(key)),
    };
  };
  const store = kept(() => localStorage); // who talks: the same in every window
  const tab = kept(() => sessionStorage); // what this window has not sent yet

  class Refused extends Error {
    constructor(status, problem, wait) {
      super(problem.detail || `HTTP ${status}`);
      this.status = status;
      this.wait = wait;
      this.passes = status === 409 || status === 429 || status >= 500; // worth another try
    }
  }

  class Dropped extends Error {} // said in a conversation that this page does not show any more

  // Something that ends when nothing has been heard for too long, or when it is told to.
  const watched = () => {
    const stop = new AbortController();
    let timer;
    const alive = () => { clearTimeout(timer); timer = setTimeout(() => stop.abort(), SILENCE); };
    alive();
    return { signal: stop.signal, alive, abort: () => stop.abort(), end: () => clearTimeout(timer) };
  };

  // Server-Sent Events from a fetch, which, unlike EventSource, can carry a token.
  async function* eventsOf(response, alive) {
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      alive();
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop();
      for (const block of blocks) {
        const event = { kind: "message", data: "" };
        for (const line of block.split("\n")) {
          if (line.startsWith("event: ")) event.kind = line.slice(7);
          else if (line.startsWith("data: ")) event.data += line.slice(6);
        }
        if (event.data) yield { kind: event.kind, data: JSON.parse(event.data) };
      }
    }
  }

  class SoniChat extends HTMLElement {
    #root = this.attachShadow({ mode: "open" });
    #shown = new Map(); // what is on the screen, by the message's id
    #taken = new Set(); // the user's messages that the server has, by their names
    #turns = new Set(); // the turns whose user message is on the screen
    #queue = []; // what was written and is not answered yet
    #last = null; // the id of the newest message of the assistant
    #session = null;
    #busy = false;
    #begun = false;
    #unread = 0;
    #loaded;
    #ready = new Promise((done) => { this.#loaded = done; });

    connectedCallback() {
      if (this.#begun) return;
      this.#begun = true;
      if (!this.hasAttribute("mode")) this.setAttribute("mode", "page");
      // What the page says, else what the visitor's browser speaks, if the assistant does.
      const host = this.getAttribute("mode") === "widget" ? document.documentElement.lang : "";
      const wanted = (this.getAttribute("lang") || host || navigator.language || "").slice(0, 2).toLowerCase();
      this.language = assistant.languages.includes(wanted) ? wanted : assistant.language;
      this.words = assistant.words[this.language];
      this.name = this.getAttribute("name") || assistant.name || "Assistant";
      this.#build();
      this.#paint(this.getAttribute("accent"));
      addEventListener("online", () => this.#wake?.());
      if (this.getAttribute("mode") === "page") this.#open();
      else if (store.get(`${this.#key}:open`)) this.#show(true, false);
    }

    // The page's own colour, with text on it and links in it that can be read.
    #paint(accent) {
      if (!accent) return;
      if (!CSS.supports("color", accent)) { console.warn(`soni: '${accent}' is not a colour`); return; }
      const probe = make("span", { hidden: true });
      probe.style.color = accent;
      this.#root.append(probe);
      const [red, green, blue] = (getComputedStyle(probe).color.match(/[\d.]+/g) || [0, 0, 0]).map((part) => (part / 255) ** 2.2);
      probe.remove();
      const light = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
      this.style.setProperty("--accent", accent);
      this.style.setProperty("--accent-text", light > 0.18 ? "#000" : "#fff");
      const onWhite = light > 0.15 ? `color-mix(in srgb, ${accent} 40%, black)` : accent;
      this.style.setProperty("--link", `light-dark(${onWhite}, color-mix(in srgb, ${accent} 35%, white))`);
    }

    get #key() { return `soni:${base}`; }
    #say(word, values = {}) { return this.words[word].replace(/\{(\w+)\}/g, (_, name) => values[name] ?? this.name); }

    // ---- what is on the screen

    #build() {
      const widget = this.getAttribute("mode") === "widget";
      const words = (word, values) => this.#say(word, values);
      this.log = make("div", { class: "log", role: "log", "aria-label": words("log"), tabindex: "0", onscroll: () => this.#scrolled() });
      this.status = make("p", { class: "state", role: "status" }, words("ready"));
      this.banner = make("p", { class: "banner", role: "status", hidden: true });
      this.typing = make("div", { class: "typing", hidden: true, "aria-hidden": "true" }, make("i"), make("i"), make("i"));
      this.told = make("p", { class: "unseen", role: "status" });
      this.newer = make("button", { class: "newer", type: "button", hidden: true, onclick: () => this.#down(true) }, words("newer"));
      this.area = make("textarea", {
        rows: "1", "aria-label": words("write"), placeholder: words("write"), maxlength: "10000", enterkeyhint: "send", autocomplete: "off",
        oninput: () => this.#grow(),
        onkeydown: (event) => {
          if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); this.form.requestSubmit(); }
        },
      });
      this.secret = make("input", {
        type: "password", "aria-label": words("secret"), placeholder: words("secret"), maxlength: "10000", autocomplete: "off", hidden: true,
      });
      this.form = make("form", { onsubmit: (event) => { event.preventDefault(); this.#written(); } },
        this.area, this.secret, make("button", { type: "submit", "aria-label": words("send"), title: words("send") }, icon("send")));
      const sign = make("span", { class: "sign", "aria-hidden": "true" }, icon("chat"));
      const again = make("button", { type: "button", "aria-label": words("again"), title: words("again"), onclick: () => this.#anew() }, icon("again"));
      const close = make("button", { type: "button", "aria-label": words("close"), title: words("close"), hidden: !widget, onclick: () => this.#show(false) }, icon("close"));
      const title = make("h1", {}, this.name);
      this.panel = make("section", {
        class: "panel", lang: this.language, "aria-label": this.name, ...(widget ? { role: "dialog", hidden: true } : {}),
        onkeydown: (event) => { if (widget && event.key === "Escape") this.#show(false); },
      }, make("header", {}, sign, make("div", { class: "who" }, title, this.status), again, close),
        this.log, this.typing, this.told, this.newer, this.banner, this.form);
      this.count = make("span", { class: "count", hidden: true });
      this.launcher = make("button", {
        class: "launcher", type: "button", hidden: !widget, "aria-label": words("open"), "aria-haspopup": "dialog", "aria-expanded": "false",
        onclick: () => this.#show(true),
      }, icon("chat"), this.count);
      const hidden = make("div", { hidden: true }, this.panel, this.launcher);
      const style = make("link", { rel: "stylesheet", href: `${base}/soni.css` });
      const styled = () => hidden.replaceWith(this.panel, this.launcher); // nobody wants to see it bare
      style.addEventListener("load", styled);
      style.addEventListener("error", styled);
      this.#root.append(style, hidden);
    }

    #show(open, focus = true) {
      this.panel.hidden = !open;
      this.launcher.hidden = open;
      this.launcher.setAttribute("aria-expanded", String(open));
      if (open) store.set(`${this.#key}:open`, true); else store.remove(`${this.#key}:open`);
      if (open) {
        this.#count(0);
        this.#open();
        this.#down(true);
        if (focus) this.#field.focus();
      } else if (focus) this.launcher.focus();
    }

    #count(unread) {
      this.#unread = unread;
      this.count.hidden = !unread;
      this.count.textContent = String(unread);
      this.launcher.setAttribute("aria-label", unread ? `${this.#say("open")}, ${this.#say("unread", { n: unread })}` : this.#say("open"));
    }

    get #field() { return this.secret.hidden ? this.area : this.secret; }
    #grow() { this.area.style.height = "auto"; this.area.style.height = `${this.area.scrollHeight + 3}px`; }
    get #atEnd() { return this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight < 80; }
    #scrolled() { if (this.#atEnd) this.newer.hidden = true; }
    #down(force) {
      if (force || this.#wasAtEnd) { this.log.scrollTop = this.log.scrollHeight; this.newer.hidden = true; } else this.newer.hidden = false;
    }
    #wasAtEnd = true;

    #add(item) {
      this.#wasAtEnd = this.#atEnd;
      const before = this.log.lastElementChild;
      if (before && before.className.split(" ")[0] !== item.className.split(" ")[0]) item.classList.add("next");
      this.log.append(item);
      this.#down(item.classList.contains("user"));
      return item;
    }

    #bubble(role, text, by) {
      const item = make("div", { class: role });
      item.append(make("span", { class: role === "person" ? "by" : "unseen" }, `${by}: `));
      item.append(make("div", { class: "bubble", dir: "auto" }, text));
      return item;
    }

    #message(message, live = true) {
      if (this.#shown.has(message.id)) return;
      if (message.kind === "handoff") this.met = false;
      if (message.kind === "person") { this.met = true; if (this.withPerson) this.#online(true); }
      const role = message.kind === "person" ? "person" : "assistant";
      this.#clearChoices();
      const item = this.#bubble(role, message.text, role === "person" ? this.#say("agent") : this.name);
      if (message.kind === "progress") item.classList.add("progress");
      if (message.options?.length) {
        const buttons = message.options.map((option) =>
          make("button", { type: "button", onclick: () => this.#write(option.label, option.payload) }, option.label));
        item.append(make("div", { class: "choices", role: "group", "aria-label": this.#say("choices") }, ...buttons));
      }
      this.#shown.set(message.id, message);
      this.#last = message.id;
      this.#add(item);
      if (this.#marks.has(message.sequence)) this.#mark();
      if (live && this.panel.hidden && message.kind !== "progress") this.#count(this.#unread + 1);
    }

    #marks = new Set(); // after which messages a new conversation begins
    #mark() { this.#add(make("div", { class: "mark" }, this.#say("anew"))); }

    #clearChoices() { for (const choices of this.log.querySelectorAll(".choices")) choices.remove(); }

    #mine(text, note) {
      const item = this.#bubble("user", text, this.#say("you"));
      if (note) { item.classList.add("waiting"); item.append(make("span", { class: "foot" }, note)); }
      return this.#add(item);
    }

    #note(item, text, kind, retry) {
      item.querySelector(".foot")?.remove();
      item.classList.remove("waiting", "wrong");
      if (kind) item.classList.add(kind);
      if (!text) return;
      const foot = make("span", { class: "foot" }, text);
      if (retry) foot.append(" ", make("button", { type: "button", onclick: retry }, this.#say("retry")));
      item.append(foot);
    }

    #stands({ pending, with_person }) {
      const private_ = Boolean(pending?.private);
      if (private_ === this.secret.hidden) {
        const had = this.#root.activeElement === this.#field;
        this.secret.hidden = !private_;
        this.area.hidden = private_;
        if (had) this.#field.focus();
      }
      this.withPerson = with_person;
      this.#online(true);
    }

    #online(yes) {
      const kind = !yes ? "away" : !this.withPerson ? "ready" : this.met ? "person" : "waiting";
      if (this.status.dataset.is !== kind) { this.status.dataset.is = kind; this.status.textContent = this.#say(kind); }
      this.banner.hidden = yes;
      if (!yes) this.banner.textContent = this.#say(this.ended ? "ended" : "lost");
    }

    // Nothing can be said here; why, is for whoever runs the page.
    #shut(error) {
      console.error(`soni: ${error.message}`);
      this.status.dataset.is = "away";
      this.status.textContent = this.#say("shut");
      this.banner.hidden = false;
      this.banner.textContent = this.#say("closed");
      for (const field of this.form.elements) field.disabled = true;
    }

    #writing(yes) {
      if (this.typing.hidden !== yes) return;
      this.#wasAtEnd = this.#atEnd;
      this.typing.hidden = !yes;
      this.told.textContent = yes ? this.#say("typing") : "";
      if (yes) this.#down(false);
    }

    // ---- talking to the server

    async #fetch(path, options = {}) {
      const headers = { ...options.headers };
      if (this.#session?.token) headers.Authorization = `Bearer ${this.#session.token}`;
      if (options.body) headers["Content-Type"] = "application/json";
      const response = await fetch(`${base}${path}`, { ...options, headers, credentials: "omit", cache: "no-store" });
      if (response.ok) return response;
      const problem = await response.json().catch(() => ({}));
      if (response.status === 401) await this.#expired();
      throw new Refused(response.status, problem, 1000 * Number(response.headers.get("Retry-After") || 0));
    }

    get #path() { return `/v1/conversations/${encodeURIComponent(this.#session.conversation)}`; }

    // Whose conversation it is; asked once, however many want to know.
    #begin() {
      this.beginning ??= this.#newSession().finally(() => { this.beginning = null; });
      return this.beginning;
    }

    // A token of the host page names its user; without one, the server gives a visitor a conversation.
    async #newSession() {
      const token = this.getAttribute("token");
      if (token) {
        try {
          const claims = JSON.parse(atob(token.split(".")[1].replace(/-/g, "+").replace(/_/g, "/")));
          this.#session = { token, conversation: claims.sub };
        } catch {
          this.#unauthorized();
          throw new Refused(400, { detail: "the token cannot be read" }, 0);
        }
        return;
      }
      this.#session = store.get(this.#key);
      if (this.#session) return;
      const visitor = await (await this.#fetch("/v1/visitors", { method: "POST" })).json();
      this.#session = { token: visitor.token, conversation: visitor.conversation };
      store.set(this.#key, this.#session);
      this.isNew = true;
    }

    async #expired() {
      if (!this.getAttribute("token")) {
        // The same visitor gets another conversation; what is not sent yet belongs there.
        store.remove(this.#key);
        this.#session = null;
        this.#clear();
        for (const one of this.#queue) { one.conversation = null; this.#add(one.item); }
        this.stream?.abort();
        return;
      }
      this.#unauthorized();
    }

    // Once for each token: whoever hears it gets another.
    #unauthorized() {
      const token = this.getAttribute("token");
      this.ended = true;
      if (this.told401 === token) return;
      this.told401 = token;
      this.dispatchEvent(new CustomEvent("soni-unauthorized", { bubbles: true, composed: true }));
    }

    // Also what is tried again and again until it works: the network comes and goes.
    async #persist(work) {
      for (let pause = 500; ; pause = Math.min(pause * 2, 15_000)) {
        try { return await work(); } catch (error) {
          if (error instanceof Dropped || (error instanceof Refused && !error.passes && error.status !== 401)) throw error;
          this.#online(false);
          const wait = error.wait || pause * (0.75 + Math.random() / 2);
          await Promise.race([sleep(wait), new Promise((wake) => { this.#wake = wake; })]);
        }
      }
    }
    #wake = null;

    async #open() {
      if (this.opened) return;
      this.opened = true;
      try {
        await this.#persist(async () => { if (!this.#session) await this.#begin(); await this.#load(); });
        // What an earlier visit left unsaid comes before what was written while this one was loading.
        const waiting = this.#queue.splice(0);
        const known = new Set(waiting.map((one) => one.message_id));
        const unsaid = tab.get(`${this.#key}:${this.#session.conversation}`) || [];
        for (const one of unsaid) if (!known.has(one.message_id) && !this.#taken.has(one.message_id)) this.#enqueue(one);
        for (const one of waiting) { this.#queue.push(one); this.log.append(one.item); }
        this.#keep();
        this.#loaded();
        await this.#follow();
      } catch (error) {
        this.opened = false;
        this.#shut(error);
      }
    }

    // Everything that was said, then the greeting if one is due.
    async #load() {
      let running = false;
      try {
        if (!this.isNew) running = await this.#reread();
      } catch (error) { if (error.status !== 404) throw error; }
      this.isNew = false;
      const started = await this.#start();
      if (running) await this.#reread(); // what was being worked on has ended, and what it answered has its place
      for (const message of [...started.recovered, ...started.messages]) this.#message(message, false);
      this.#stands(started);
      this.#down(true);
    }

    // Whether something was still being worked on: what the user had said is not in the transcript then.
    async #reread() {
      const transcript = await (await this.#fetch(`${this.#path}/transcript`)).json();
      this.#render(transcript);
      return transcript.running;
    }

    async #start() {
      return (await this.#fetch(`${this.#path}/start`, { method: "POST", body: JSON.stringify({ language: this.language }) })).json();
    }

    #render({ lines, ...stands }) {
      const last = Math.max(0, ...lines.map((line) => line.message?.sequence ?? 0));
      const newer = [...this.#shown.values()].filter((message) => message.sequence > last); // heard since it was written
      this.#clear();
      for (const line of lines) {
        this.#turns.add(line.turn);
        if (line.role !== "user") { this.#message(line.message, false); continue; }
        this.#taken.add(line.message_id);
        this.#clearChoices();
        const one = this.#queue.find((waiting) => waiting.message_id === line.message_id);
        if (one) this.#add(one.item); else this.#mine(line.text);
      }
      if (!stands.pending) this.#clearChoices();
      for (const message of newer) this.#message(message, false);
      for (const one of this.#queue) if (!this.#taken.has(one.message_id)) this.#add(one.item);
      this.#stands(stands);
      if (stands.running || newer.length) setTimeout(() => this.#catchUp(), 1000); // there is more to come
    }

    #clear() { this.log.replaceChildren(); this.#shown.clear(); this.#turns.clear(); this.#taken.clear(); this.#last = null; }

    // The stream of everything that is said, taken up again wherever it breaks.
    async #follow() {
      for (;;) {
        const ended = await this.#persist(async () => {
          if (!this.#session) { await this.#begin(); await this.#load(); }
          const { conversation } = this.#session;
          const stream = this.stream = watched();
          try {
            const headers = { Accept: "text/event-stream", ...(this.#last ? { "Last-Event-ID": encodeLast(this.#last) } : {}) };
            const response = await this.#fetch(`${this.#path}/events`, { headers, signal: stream.signal });
            this.#online(true);
            for await (const event of eventsOf(response, stream.alive)) {
              if (this.#session?.conversation !== conversation) break;
              if (event.kind === "forgotten") return "forgotten";
              if (event.kind === "message") this.#heard(event.data);
            }
          } finally { stream.end(); }
          throw new Error("the stream ended");
        });
        if (ended === "forgotten") { this.#clear(); await this.#persist(() => this.#load()); }
      }
    }

    #heard(message) {
      this.#message(message);
      if (!this.#busy && !this.#turns.has(turnOf(message.id))) this.#catchUp();
    }

    // Something was said in another window, or by a person: show what it was the answer to, and how things stand now.
    async #catchUp() {
      this.behind = true;
      if (this.catching) return;
      this.catching = true;
      while (this.behind) {
        this.behind = false;
        await sleep(150);
        if (this.#busy || !this.#session) break;
        const { conversation } = this.#session;
        try {
          const transcript = await (await this.#fetch(`${this.#path}/transcript`)).json();
          if (!this.#busy && this.#session?.conversation === conversation) this.#render(transcript);
        } catch { break; } // the next word brings it
      }
      this.catching = false;
    }

    // ---- saying something

    #written() {
      const text = this.#field.value.trim();
      if (!text) return;
      const secret = !this.secret.hidden;
      this.#field.value = "";
      this.#grow();
      this.#write(text, null, secret);
      this.#field.focus();
    }

    #write(text, payload = null, secret = false) {
      this.#clearChoices();
      this.#enqueue({ text, payload, secret, seen: this.#last, message_id: fresh() });
      if (payload) this.#field.focus();
    }

    #enqueue(one) {
      one.conversation = this.#session?.conversation ?? null;
      one.item = this.#mine(one.secret ? "•••" : one.text, this.#say("sending"));
      this.#queue.push(one);
      this.#keep();
      this.#drain();
    }

    // What is not answered yet outlives a reload; a secret does not.
    #keep() {
      if (!this.#session) return;
      const key = `${this.#key}:${this.#session?.conversation}`;
      const unsaid = this.#queue.filter((one) => !one.secret).map(({ text, payload, seen, message_id }) => ({ text, payload, seen, message_id }));
      if (unsaid.length) tab.set(key, unsaid); else tab.remove(key);
    }

    async #drain() {
      if (this.#busy) return;
      this.#busy = true;
      await this.#ready; // first what was said before
      while (this.#queue.length) {
        const one = this.#queue[0];
        try {
          await this.#persist(() => this.#send(one));
          this.#note(one.item);
        } catch (error) {
          if (error instanceof Dropped) { one.item.remove(); if (this.#queue[0] === one) this.#queue.shift(); continue; }
          const again = () => { one.item.remove(); this.#write(one.text, one.payload, one.secret); };
          this.#note(one.item, this.#say("failed", { why: error.message }), "wrong", again);
        }
        if (this.#queue[0] === one) this.#queue.shift();
        this.#keep();
      }
      this.#busy = false;
      this.#writing(false);
      if (this.behind) this.#catchUp();
    }

    // The same message_id each time: however often it has to be sent, it is taken once.
    async #send(one) {
      const { text, payload, seen, message_id, item } = one;
      const post = watched();
      this.#writing(true);
      try {
        if (!this.#session) await this.#begin();
        const { conversation } = this.#session;
        one.conversation ??= conversation;
        const here = () => { if (this.#session?.conversation !== one.conversation) throw new Dropped(); };
        here();
        const body = JSON.stringify({ text, message_id, ...(payload ? { payload } : {}), ...(seen ? { seen } : {}) });
        const response = await this.#fetch(`${this.#path}/messages`, { method: "POST", headers: { Accept: "text/event-stream" }, body, signal: post.signal });
        for await (const { kind, data } of eventsOf(response, post.alive)) {
          here();
          if (kind === "accepted") this.#note(item);
          else if (kind === "message") { this.#message(data); this.#writing(data.kind === "progress"); }
          else if (kind === "error") throw new Refused(data.status, data, 0);
          else if (kind === "done") {
            for (const message of [...data.recovered, ...data.messages]) this.#message(message);
            this.#turns.add(data.turn);
            this.#stands(data);
            return;
          }
        }
        throw new Error("the answer broke off");
      } finally { post.end(); this.#writing(false); }
    }

    async #anew() {
      if (!this.#session || this.#busy) return;
      try {
        await this.#fetch(`${this.#path}/reset`, { method: "POST" });
        this.#clearChoices();
        this.#marks.add(this.#shown.get(this.#last)?.sequence ?? 0);
        this.#mark();
        const started = await this.#start();
        this.#turns.add(started.turn);
        for (const message of started.messages) this.#message(message);
        this.#stands(started);
        this.#down(true);
      } catch (error) {
        if (error instanceof Refused) this.#add(make("div", { class: "mark" }, error.message)); else this.#online(false);
      }
      this.#field.focus();
    }

    static observedAttributes = ["token"];
    attributeChangedCallback(name, before, now) {
      if (!this.#begun || before === now || !now) return;
      const known = this.#session?.conversation;
      this.ended = false;
      this.#begin().then(async () => {
        for (const field of this.form.elements) field.disabled = false;
        if (!this.opened && this.#session) return this.#open();
        if (known && known !== this.#session.conversation) {
          this.#queue.length = 0; // somebody else's words
          this.#clear();
          this.stream?.abort();
          await this.#load();
        }
        this.#wake?.();
      }).catch((error) => this.#shut(error));
    }
  }

  // Headers are bytes: what is beyond ASCII in an id goes as UTF-8.
  const encodeLast = (id) => String.fromCharCode(...new TextEncoder().encode(id));

  if (!customElements.get("soni-chat")) customElements.define("soni-chat", SoniChat);
  const place = () => {
    if (document.querySelector("soni-chat") || !script) return;
    const { token, name, accent, theme, lang } = script.dataset;
    document.body.append(make("soni-chat", { mode: "widget", token, name, accent, theme, lang }));
  };
  if (document.body) place(); else addEventListener("DOMContentLoaded", place);
})();
