"""Measures of understanding: public sets, our own, the value grammar, time, and what the cascade asks."""
