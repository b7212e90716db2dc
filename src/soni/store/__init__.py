"""Where conversations are kept: the journal, the checkpoints, and who may write."""

from soni.store.opening import open_store
from soni.store.store import Store

__all__ = ["Store", "open_store"]
