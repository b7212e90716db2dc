"""Understanding by a language model through DSPy; importing this needs the extra `llm`."""

import os

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # or a price list is fetched from the network

try:
    import dspy
except ModuleNotFoundError:
    raise ModuleNotFoundError("SoniDU needs DSPy. Install it with: pip install 'soni[llm]'", name="dspy") from None

from soni.du.llm.model import Model, ModelFailed
from soni.du.llm.slot_extractor import SlotExtractor
from soni.du.llm.soni_du import SoniDU

__all__ = ["Model", "ModelFailed", "SlotExtractor", "SoniDU", "dspy"]
