"""Many generated conversations, for `make soak`: python -m tests.conversations.soak --help."""

from __future__ import annotations

import argparse
import asyncio
import os
import secrets
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed

from tests.conversations.generated_forms import Choices, Given, Seeded
from tests.conversations.oracle import ends_alike, example
from tests.conversations.saying_anything import is_safe, script
from tests.conversations.standing import Desk, Different

CORRECTED, ANY = "c", "a"
"""The two kinds of conversations: with corrections, and with anything said."""
CHUNK = 20
SIZES = (6, 2, 3, 2, 3, 2, 3, 2, 3, 2)
"""How many pieces a form may have; small ones are soon gone through, and every tenth is a large one."""

Failure = tuple[str, str]
"""Which conversation, and what is wrong with it."""


async def _run(kind: str, choices: Choices, number: int, count: Counter[str]) -> None:
    if kind == CORRECTED:
        one = example(choices, SIZES[number % len(SIZES)])
        await ends_alike(one, Desk(one.form), count)
    else:
        said = script(choices)
        await is_safe(said, Desk(said.form), count)


async def _failure(kind: str, choices: Choices, number: int, count: Counter[str]) -> str:
    """What is wrong with a conversation; nothing if all is well."""
    try:
        await _run(kind, choices, number, count)
    except Different as difference:
        return str(difference)
    return ""


def run_some(seed: int, kind: str, numbers: range) -> tuple[Counter[str], list[Failure]]:
    """Run some conversations."""
    count: Counter[str] = Counter()
    failures = []
    with asyncio.Runner() as runner:
        for number in numbers:
            wrong = runner.run(_failure(kind, Seeded(f"{seed} {kind}{number}"), number, count))
            failures += [(f"{kind}{number}", wrong)] if wrong else []
    return count, failures


def again(seed: int, name: str) -> str:
    """How to run one of them again."""
    return f"python -m tests.conversations.soak --seed {seed} --only {name}"


def _chunks(kind: str, many: int) -> Iterator[tuple[str, range]]:
    for start in range(0, many, CHUNK):
        yield kind, range(start, min(start + CHUNK, many))


def _tell(text: str, end: str = "\n") -> None:
    sys.stdout.write(text + end)
    sys.stdout.flush()


def run_all(seed: int, corrected: int, anything: int, workers: int) -> int:
    """Run them all; the exit status."""
    _tell(f"seed {seed}")
    counts: dict[str, Counter[str]] = {CORRECTED: Counter(), ANY: Counter()}
    failures: list[Failure] = []
    begun, over, total = time.monotonic(), 0, corrected + anything
    with ProcessPoolExecutor(workers) as pool:
        chunks = [*_chunks(CORRECTED, corrected), *_chunks(ANY, anything)]
        waiting = {pool.submit(run_some, seed, kind, numbers): (kind, numbers) for kind, numbers in chunks}
        for future in as_completed(waiting):
            kind, numbers = waiting[future]
            count, found = future.result()
            counts[kind] += count
            over += len(numbers)
            for name, wrong in found:
                first = wrong.partition("\n")[0]
                _tell(f"\r{name}: {first}\n    {again(seed, name)}")
            failures += found
            if sys.stdout.isatty():
                _tell(f"\r{over:,} of {total:,}, {len(failures)} wrong, {time.monotonic() - begun:.0f} s ", end="")
    _tell(f"\n{corrected:,} with corrections: {_summary(counts[CORRECTED])}")
    _tell(f"{anything:,} with anything said: {_summary(counts[ANY])}")
    _tell(f"{len(failures)} wrong, in {time.monotonic() - begun:.0f} s")
    return 1 if failures else 0


def _summary(count: Counter[str]) -> str:
    return ", ".join(f"{times:,} {what}" for what, times in sorted(count.items()))


def run_one(seed: int, name: str, *, smaller: bool) -> int:
    """Run one of them again, and show it; the exit status."""
    kind, number = name[0], int(name[1:])
    with asyncio.Runner() as runner:
        choices = Seeded(f"{seed} {kind}{number}")
        wrong = runner.run(_failure(kind, choices, number, Counter()))
        if wrong and smaller:
            wrong = runner.run(_smallest(kind, choices.taken, number, wrong))
    _tell(wrong or "nothing is wrong with it")
    return 1 if wrong else 0


async def _smallest(kind: str, taken: list[int], number: int, wrong: str) -> str:
    """The same failure, with fewer and smaller choices."""
    what = _what(wrong)
    improved = True

    async def attempt(numbers: list[int]) -> bool:
        nonlocal taken, wrong, improved
        choices = Given(numbers)
        found = await _failure(kind, choices, number, Counter())
        if _what(found) != what or (len(choices.taken), choices.taken) >= (len(taken), taken):
            return False
        taken, wrong, improved = choices.taken, found, True
        return True

    while improved:
        improved = False
        for size in (64, 32, 16, 8, 4, 2, 1):
            at = 0
            while at < len(taken):
                at += 0 if await attempt(taken[:at] + taken[at + size :]) else size
        for at in range(len(taken)):
            for less in range(taken[at] if at < len(taken) else 0):
                if await attempt([*taken[:at], less, *taken[at + 1 :]]):
                    break
    return wrong


def _what(wrong: str) -> str:
    return wrong.partition("\n")[0].partition(":")[0]


def main() -> int:
    """Read the arguments, and run."""
    parser = argparse.ArgumentParser(prog="python -m tests.conversations.soak", description=__doc__)
    parser.add_argument("--seed", type=int, help="the same conversations as before; another seed, others")
    parser.add_argument("--only", help="run one again, by its name, and show it")
    parser.add_argument("--smaller", action="store_true", help="with --only: make it as small as possible first")
    parser.add_argument("--corrected", type=int, default=10_000, help="how many with corrections")
    parser.add_argument("--anything", type=int, default=20_000, help="how many with anything said")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="how many processes")
    given = parser.parse_args()
    seed = secrets.randbelow(1_000_000) if given.seed is None else given.seed
    if given.only:
        return run_one(seed, given.only, smaller=given.smaller)
    return run_all(seed, given.corrected, given.anything, given.workers)


if __name__ == "__main__":
    sys.exit(main())
