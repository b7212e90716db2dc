"""Measuring an understanding on labelled messages."""

from soni.evaluation.labelled import Labelled, Place, read_labelled
from soni.evaluation.scoring import Prediction, Scores, predict, scored

__all__ = ["Labelled", "Place", "Prediction", "Scores", "predict", "read_labelled", "scored"]
