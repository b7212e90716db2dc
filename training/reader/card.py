"""Write the model card: what the reader was trained on, what it can do, and what it cannot.

    python -m training.reader.card [--figures bench/understanding/results.json]

The figures are those of `make bench-understanding`, taken with the exported model; how the weights came about is in
reader.json beside them.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from soni.du.local.model import WEIGHTS, checked

_FIGURES = Path("bench/understanding/results.json")
_HEAD = """# The trained reader

`reader.onnx` reads a message to an assistant that it has never seen: which flow it asks for, which words are values of
which slots, what it does (agree, correct, give up …); it also turns a sentence into a vector. {layers} layers of
{width}, {size:.1f} MB in 8 bits, English and Spanish, one core. `words.txt` is its vocabulary, `reader.sha256` tells
that both are the files that were shipped, `reader.json` how they came about. Made by `training/reader`.

## Licence

The weights and the vocabulary are under CC BY-SA 4.0 (the file `LICENSE` beside this one), because they learned from the
Schema-Guided Dialogue data set, which is. Soni's own code is under the Apache License 2.0.

## Data

| what | how much | licence |
|---|---|---|
| all-MiniLM-L6-v2, the weights it started from and its teacher | | Apache-2.0 |
| Schema-Guided Dialogues, training split, with the paraphrased schemas of SGD-X (Rastogi et al. 2020, Lee et al. 2022) | {turns:,} turns | CC BY-SA 4.0 |
| the same, machine-translated to Spanish (Apertium) and mended | {spanish_turns:,} turns | CC BY-SA 4.0 |
| HWU64 (Liu et al. 2019), CLINC150 (Larson et al. 2019), Snips (Coucke et al. 2018): training splits | {intents:,} requests | CC BY 4.0, CC BY 3.0, CC0 |
| STAR, NLU++, restaurant8k: texts without their labels | 40,000 | MIT, CC BY 4.0 |
| written for this model: `training/reader/domains` and `acts`, English and Spanish | {written_domains} assistants | Apache-2.0 |
{requests}
BANKING77 was left out, so that it stays a set that no model of ours was trained on; so were the messages by which the
examples are measured and the three Spanish assistants of `bench/understanding/spanish`.

## Training

{steps:,} steps of {batch} samples, {seconds} seconds on one {device}, seed {seed}; parts of the mixture: {shares}.
{earlier}"""
_REQUESTS = "| the same: `training/reader/intents`, sets of many near intents | {count:,} requests | Apache-2.0 |\n"
_EARLIER = """They went on from {steps:,} steps with {written_domains} assistants; of both the weights are the mean, {share:.0%} of
it the later ones.
"""
_LIMITS = """
## Limits

- English and Spanish. Other languages are understood by the multilingual encoder and the rules alone.
- It learned Spanish from far less, and partly from a machine's: it is less sure of flows there, and knows it.
- A value is one run of the message's own words; what has to be worked out ("my wife and I" for two) it does not read.
- It never agrees to anything by itself: without the words of a yes there is no yes to a confirmation.
- Of amounts it says whether there is one; which it is, the grammar says, and of several only a correction tells.
- At most six flows (four in English), fourteen slots and ten options of a choice are shown to it at once; the encoder picks the flows.
"""


def card(facts: dict[str, Any], figures: dict[str, dict[str, Any]], size: int) -> str:
    """The card as Markdown."""
    settings = facts["settings"]
    requests = sum(facts.get("written_requests", {}).values())  # the first weights learned from none
    head = _HEAD.format(
        **{key: facts[key] for key in ("turns", "spanish_turns", "written_domains", "steps", "seconds", "device")},
        intents=sum(facts["intent_sets"].values()),
        shares=", ".join(f"{name} {share * 100:.0f} %" for name, share in facts["shares"].items()),
        requests=_REQUESTS.format(count=requests) if requests else "",
        size=size / 1e6,
        earlier=_EARLIER.format(**{**facts["earlier"], "share": facts.get("share", 0.5)}) if "earlier" in facts else "",
        **{key: settings[key] for key in ("batch", "seed", "layers", "width")},
    )
    rows = [f"| {name} | {_shown(one)} | {_wanted(one)} | {one['note']} |" for name, one in figures.items()]
    table = "\n".join(["| measure | figure | wanted | |", "|---|---|---|---|", *rows])
    told = "\n## Figures\n\nDevelopment data, through the whole offline understanding (`make bench-understanding`).\n\n"
    return f"{head}{told}{table}\n{_LIMITS}"


def _shown(one: dict[str, Any]) -> str:
    digits = 2 if not one["unit"] else 1
    return f"{one['value']:.{digits}f} {one['unit']}".strip()


def _wanted(one: dict[str, Any]) -> str:
    return "" if one["at_least"] is None else f"{one['at_least']:g}"


def main() -> None:
    """Write README.md beside the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figures", type=Path, default=_FIGURES, help="results of the benchmark (%(default)s)")
    figures = json.loads(parser.parse_args().figures.read_text(encoding="utf-8"))
    facts = json.loads((WEIGHTS / "reader.json").read_text(encoding="utf-8"))
    (WEIGHTS / "README.md").write_text(card(facts, figures, checked(WEIGHTS).stat().st_size), encoding="utf-8")


if __name__ == "__main__":
    main()
