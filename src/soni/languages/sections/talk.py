"""The files of a language that what people say is read with; what an entry is for is written beside it in `en/`."""

from dataclasses import dataclass
from typing import Annotated

from soni.languages.kinds import Holds, Means, OneOf, Patterns, Shown, Words, WordsBy, WrittenPatterns


@dataclass(frozen=True, slots=True)
class Answers:
    """Yes and no."""

    yes: Words
    no: Words
    letters: Annotated[Means, OneOf(("yes", "no"))]
    shown: Shown
    polite: Words
    approval: Patterns
    switches: Words
    strong: Words
    clear: Words
    harmless: Words
    no_objection: Words
    courtesies: Words
    go_ahead_before: Words
    go_ahead: Patterns
    go_ahead_verb: Annotated[Patterns, Holds(("verb",))]
    go_ahead_thing: Annotated[Patterns, Holds(("thing",))]
    go_on_with: Patterns
    undo_it: Patterns
    undo_thing: Annotated[Patterns, Holds(("thing",))]
    do_it: Patterns
    long_yes: Words
    puts_off: Words
    of_a_request: Words
    against: Patterns
    exclamations: Words
    condition: WrittenPatterns
    takes_back: Patterns
    stops: Patterns
    joins: Words
    question_joins: Words
    questions: Words
    before: Words
    declines: Patterns
    but: Words
    not_now: Patterns
    before_last_no: Patterns
    plain_no: Words
    thanks: Words
    echo: Words
    not_declined: Words
    goes_with_yes: Words
    adds_nothing: Words


@dataclass(frozen=True, slots=True)
class Acts:
    """What people say to any assistant, and how requests stand beside each other."""

    phrases: WordsBy
    around: Words
    polite: Words
    nothing: Words
    needless: Words
    withheld: Patterns
    cancel: Words
    cancel_phrases: Words
    before_cancel: Words
    keep: Patterns
    resume: Words
    resume_phrases: Words
    before_resume: Words
    undoing: Words
    undone: Words
    people: Words
    talking: Words
    wanting: Words
    oneself: Words
    anybody: Words
    why_before: Patterns
    why: Words
    why_asked: Patterns
    refusals: Words
    seen: Words
    negations: Patterns
    codes: Words
    breaks: Words
    joined: Words
    but: Words
    instead: Words
    another: Words
    no_more_before: Words
    no_more: Patterns
    rather: Patterns
    first_of_all: Patterns
    first_at_end: Words
    empty: Words
    empty_around: Words
    bits: Words
    roots: Means
    clitics: Words
    knowing: Patterns
    here: Words
    telling: Patterns


@dataclass(frozen=True, slots=True)
class Corrections:
    """Words that take something back."""

    before_mark: Words
    mark: Patterns
    after_mark: Patterns
    anywhere: Patterns
    negated: Annotated[Patterns, Holds(group="x")]
    also_negated: Patterns
    out_of: Words
    best_marks: Words
    interjections: Words
    not_said: Words
    sorry: Words
    repair: Words
    plain_coins: Patterns
    before_name: Words
    between_changes: Words
    between_parts: Words
    better: Words
    neither: Words
    neither_joins: Words
    change: Words
    polite_end: Words
    the: Words
    the_next: Words
    into: Words
    hesitation: Patterns
    that: Patterns
    wrong: Annotated[Patterns, Holds(("hesitation",), group="what")]
    other: Patterns
    other_end: Words
    relative: Words
    absolute_verbs: Patterns
    absolute_to: Words
    absolute: Patterns
    all_but: Patterns
    words: Words
    what_is_before: Words
    what_is: Annotated[Patterns, Holds(group="x")]
    somebody: Words
    could: Patterns


@dataclass(frozen=True, slots=True)
class Names:
    """Names, people, places, and what slots are called."""

    ends: Words
    determiners: Words
    own_things: Annotated[Patterns, Holds(("what",))]
    spelt: Patterns
    relation_before: Words
    relations: Patterns
    of: Words
    owned: Annotated[Patterns, Holds(("what",))]
    announced: WrittenPatterns
    announced_capital: Words
    called: Patterns
    occasions: Patterns
    last_name_particles: Words
    told_of: Words
    particles: Words
    piece_particles: Words
    name_and: Words
    before_places_too: Words
    names_too: Words
    short_names_too: Words
    no_names: Words
    my: Words
    article: Words
    contractions: Means
    naming: Words
    reported: Patterns
    place_before: Words
    place_article: Patterns
    plain_place_before: Words
    where: Words
    doors: Patterns
    door_sides: Patterns
    nobody: Words
    to: Words
    hollow: Words
    of_type: WordsBy
    heads: Words
    people_called: Words
    places_called: Words
    from_called: Words
    to_called: Words
    before_places: Words
    before_from: Words
    before_to: Words
    before_names: Words
    people_word: Words
    one_person: Patterns
    two_people: Words
    several_people: Patterns
    me: Words
    whose_person: Patterns
    whose_people: Words
    more_people: Words
    one_more: Patterns
    alone: Patterns
    not_alone: Words
    both: Patterns
    and_people: Words


@dataclass(frozen=True, slots=True)
class Courtesies:
    """Politeness, hesitation, and what else stands around what is meant."""

    before: Words
    after: Words
    articles: Words
    openings: Patterns
    closings: Words
    trigger_end: Words
    lead_ins: Words
    lead_ins_to_names: Words
    tails: Words
    that: WrittenPatterns
    question_words: Words
    politely: Words
    opens_nothing: Words
    goes_on: Words
    email_at: Words
    email_dot: Words
    email_before: Patterns
    please: Words
    phone_before: Patterns
    for_people: Words
    list_and: Words
    moment: Words
    option_before: Patterns
    option_numbered: Patterns
    option_last: Words
    option_one: Words
    option_denied: Words
    not_wanted_before: Words
    not_wanted_in: Words
    not_wanted_the: Words
    negations: Patterns
    any: Words
    all: Words
    participles: Patterns
    verb_endings: Patterns
    genders: Patterns
