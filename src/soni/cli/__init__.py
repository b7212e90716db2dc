"""The `soni` command."""
