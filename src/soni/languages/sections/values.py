"""The files of a language that its values are read with; what an entry is for is written beside it in `en/`."""

from dataclasses import dataclass
from typing import Annotated

from soni.languages.kinds import (
    Amounts,
    Counts,
    Currencies,
    Days,
    Marks,
    Means,
    OneOf,
    Patterns,
    Replacements,
    Times,
    Within,
    Words,
    WordsBy,
)


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers in words."""

    zero: Words
    units: Annotated[Counts, Within(1, 9)]
    teens: Annotated[Counts, Within(10, 99)]
    tens: Annotated[Counts, Within(20, 90)]
    tens_and: Words
    hundreds: Annotated[Counts, Within(100, 900)]
    hundred_alone: Words
    hundred_counted: Words
    hundreds_and: Words
    scales: Counts
    scales_without_half: Words
    short_scales: Counts
    groups: Counts
    couples: Words
    after_a_couple: Counts
    fixed: Amounts
    fractions: Amounts
    and_a_part: Amounts
    minus: Words
    point: Words
    of: Words
    a: Words
    ordinals: Annotated[Counts, Within(1, 99)]
    ordinal_tens: Counts
    ordinal_endings: Words
    repeated: Counts
    spoken_zero: Words
    not_numbers: Words
    no_count: Words


@dataclass(frozen=True, slots=True)
class Calendar:
    """Days, months, feasts, times of day and lengths of time."""

    months: Annotated[Counts, Within(1, 12)]
    weekdays: Annotated[Counts, Within(0, 6)]
    days_away: Annotated[Counts, Within(-7, 7)]
    near_days: Words
    seconds_in: Counts
    ordinal_too: Words
    days_in: Counts
    months_in: Counts
    before_date: Words
    article: Patterns
    of: Words
    before_short_year: Words
    this: Words
    next: Words
    last: Words
    next_after: Words
    last_after: Words
    in_next_week: Words
    ahead: Words
    after_ahead: Patterns
    counted_from: Words
    from_now: Words
    ago_before: Words
    ago_after: Words
    weeks_before: Counts
    weeks_before_joined: Words
    weeks_after: Counts
    before_such_day: Words
    this_year: Words
    next_year: Words
    following_year: Words
    any_year: Words
    this_month: Words
    next_month: Words
    last_month: Words
    any_month: Words
    in_month: Words
    the_month: Words
    at_edge: Words
    the_edge: Words
    end: Words
    start: Words
    month_end: Patterns
    last_place: Words
    day: Words
    feasts: Days
    day_feasts: Days
    day_before: Patterns
    day_behind: Words
    at_feast: Words
    which_feast: Patterns
    last_feast: Words
    past_feast: Patterns
    the_feast: Words
    year_of_feast: Words
    named_times: Times
    before_time: Patterns
    morning: Patterns
    afternoon: Patterns
    night: Patterns
    lunchtime: Patterns
    day_morning: Patterns
    day_afternoon: Patterns
    day_night: Patterns
    parts_of_today: Annotated[Means, OneOf(("am", "pm", "night", "any"))]
    clock_marks: Patterns
    minutes: Patterns
    past: Words
    to: Patterns
    hour_and: Words
    hour_minus: Words
    parts_of_hour: Annotated[Counts, Within(1, 59)]
    half_before_hour: Words
    of_day: Means
    now: Words
    tonight: Patterns
    at_lunch: Patterns
    said_at_night: Words
    said_in_the_afternoon: Words
    clock_words: Words
    before_times: Words
    before_numerals: Words
    hours: Words
    during: Words
    length_and: Words
    one: Words
    joining: Words
    other_words: Words
    between: Words


@dataclass(frozen=True, slots=True)
class Money:
    """Coins and whose they are."""

    coins: Annotated[WordsBy, Currencies()]
    owners: Annotated[WordsBy, Currencies()]
    owner_of: Words
    pence: Words
    cents: Words
    cent_words: Words
    plain_coins: Words
    one_coin: Words
    half_a_coin: Words
    and_a_half: Words
    with_cents: Words
    and_cents: Words


@dataclass(frozen=True, slots=True)
class Spelling:
    """Slips of the keyboard and of the ear."""

    seldom_meant: Words
    ordinary: Words
    sounds: Replacements
    short_in_values: Means
    short: Means
    false_friends: Means
    common: Words
    marks: Marks
    elided: Patterns
    negations: Patterns
