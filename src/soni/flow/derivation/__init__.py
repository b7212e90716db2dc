"""Derivation: where a flow stands is a function of what was said (facts) and of what its steps did (memo)."""
