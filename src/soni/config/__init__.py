"""Assistants as data: models, loading with positions, and every static check."""
