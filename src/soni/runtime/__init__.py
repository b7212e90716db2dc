"""Turns: their context, and the loop that runs them."""
