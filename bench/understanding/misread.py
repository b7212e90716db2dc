"""Which sentences with a value are misread, with what was read instead: for whoever writes a language.

python -m bench.understanding.misread pt
"""

from __future__ import annotations

import argparse
import sys

from bench.understanding.run import NOW, value_of, value_rows


def main() -> None:
    """Print them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("language", choices=sorted(value_rows()), help="which of bench/understanding/values/*.jsonl")
    language = parser.parse_args().language
    rows = value_rows()[language]
    print(f"Today is {NOW:%A, %Y-%m-%d}.")
    wrong = 0
    for row in rows:
        wanted, read = value_of(row, language)
        if wanted != read:
            wrong += 1
            print(f"{row['message']}\n  {row['type']}: {wanted}, read: {'nothing' if read is None else read}")
    sys.stdout.write(f"{wrong} of {len(rows)} sentences are misread\n")


if __name__ == "__main__":
    main()
