"""Dialogue management: the graph of one message."""
