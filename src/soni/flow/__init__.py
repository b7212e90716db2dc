"""Flows while they run: the stack, its slots, and the one way to change them."""
