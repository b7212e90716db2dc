"""Arrays that take long to compute, kept on disk by what they were computed from.

What never changes is shipped with the package; the rest lives in the user's cache folder. An entry is a folder of .npy
files with a list of their checksums. It is written aside and then renamed, so that several processes can share the
cache: a reader sees a whole entry or none. `SONI_CACHE` names another folder, or is `off`.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
import sys
import uuid
import zlib
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from soni.languages import FOLDER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Array = np.ndarray[Any, Any]
    Arrays = Mapping[str, Array]

logger = logging.getLogger(__name__)

SHIPPED = FOLDER / "vectors"
_FORMAT = "1"
_MOST_ENTRIES = 64
"""How many entries the cache folder holds; those that nobody has used for longest are removed."""
_LARGE = 16_000_000
"""Larger files are mapped into memory, and checked by samples."""
_SAMPLES, _SAMPLE = 64, 4096


class Damaged(Exception):
    """An entry is not what was written; why is its text."""


def kept(kind: str, content: str, compute: Callable[[], Arrays]) -> Arrays:
    """The arrays that were computed from this content before, here or when the package was built, or new ones."""
    digest = hashlib.sha256("\0".join((_FORMAT, kind, content)).encode()).hexdigest()
    name = f"{kind}-{digest[:32]}"
    own = cache_folder()
    for folder in (SHIPPED, own):
        entry = None if folder is None else folder / name
        if entry is None or not entry.is_dir():
            continue
        try:
            arrays = _loaded(entry)
        except (Damaged, OSError, ValueError, KeyError) as error:
            logger.warning("%s is damaged (%s) and is computed again.", entry, error)
            if folder == own:
                _remove(entry)
        else:
            if folder == own:
                _touch(entry)
            return arrays
    computed = compute()
    return computed if own is None else _stored(own / name, computed)


@lru_cache(maxsize=1)
def cache_folder() -> Path | None:
    """Where this user's entries are kept; None if nothing is to be kept."""
    named = os.environ.get("SONI_CACHE", "")
    if named.lower() in ("off", "0", "no", "false"):
        return None
    if named:
        return Path(named).expanduser()
    try:
        home = Path.home()
    except RuntimeError:
        return None  # a user without a home
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "soni"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "soni" / "cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "soni"


def write(entry: Path, arrays: Arrays) -> None:
    """Write an entry as a whole: aside first, then under its name; another process may have been quicker."""
    aside = entry.with_name(f".{entry.name}.{uuid.uuid4().hex}")
    aside.mkdir(parents=True)
    try:
        sums = {}
        for name, array in arrays.items():
            path = aside / f"{name}.npy"
            np.save(path, array, allow_pickle=False)
            sums[name] = [path.stat().st_size, _checksum(path)]
        (aside / "sums.json").write_text(json.dumps(sums), encoding="utf-8")
        if not entry.exists():
            aside.rename(entry)
    finally:
        _remove(aside)


def _stored(entry: Path, arrays: Arrays) -> Arrays:
    """Keep new arrays; what was stored is handed out, so that large arrays are mapped from the first time on."""
    try:
        write(entry, arrays)
        _prune(entry.parent)
        return _loaded(entry)
    except (OSError, Damaged, ValueError, KeyError) as error:
        logger.info("%s cannot be kept (%s); it is computed again at the next start.", entry, error)
        return arrays


def _loaded(entry: Path) -> dict[str, Array]:
    sums = json.loads((entry / "sums.json").read_text(encoding="utf-8"))
    arrays = {}
    for name, (size, checksum) in sums.items():
        path = entry / f"{name}.npy"
        if path.stat().st_size != size or _checksum(path) != checksum:
            raise Damaged(f"{path.name} is not what was written")
        arrays[name] = np.load(path, mmap_mode="r" if size > _LARGE else None, allow_pickle=False)
    return arrays


def _checksum(path: Path) -> int:
    """A checksum of a file; of a large one, of its beginning, its end and samples between."""
    size, checksum = path.stat().st_size, 0
    with path.open("rb") as file:
        for place in _places(size):
            file.seek(place)
            checksum = zlib.crc32(file.read(_SAMPLE if size > _LARGE else -1), checksum)
    return checksum


def _places(size: int) -> Iterator[int]:
    if size <= _LARGE:
        return iter([0])
    return (number * (size - _SAMPLE) // (_SAMPLES - 1) for number in range(_SAMPLES))


def _prune(folder: Path) -> None:
    """Remove the entries that nobody has used for longest, and what a process that was killed has left behind."""
    entries = sorted((path for path in folder.iterdir() if path.is_dir()), key=lambda path: path.stat().st_mtime)
    for entry in entries[:-_MOST_ENTRIES]:
        _remove(entry)


def _touch(entry: Path) -> None:
    try:
        os.utime(entry)
    except OSError:
        logger.debug("%s was used, and that cannot be noted", entry)


def _remove(entry: Path) -> None:
    shutil.rmtree(entry, ignore_errors=True)
