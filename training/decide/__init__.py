"""Fits the choice between the readings of a message."""
