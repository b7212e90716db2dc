"""The offline understanding: no key, no network, no GPU."""
