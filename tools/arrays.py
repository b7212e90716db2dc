"""Compute the vectors that never change, and put them into the package; `make arrays`."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory


def main() -> None:
    from soni.du.local import acts
    from soni.du.local.array_cache import SHIPPED, cache_folder
    from soni.languages import known_languages, language

    shutil.rmtree(SHIPPED, ignore_errors=True)
    SHIPPED.mkdir()
    for code in sorted(known_languages()):
        acts.warm(language(code))
    folder = cache_folder()
    if folder is None:
        sys.exit("nothing was kept")
    for entry in folder.glob("phrases-*"):
        shutil.copytree(entry, SHIPPED / entry.name)
        print(SHIPPED / entry.name)


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        os.environ["SONI_CACHE"] = str(Path(folder))
        main()
