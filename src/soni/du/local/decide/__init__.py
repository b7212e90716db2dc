"""Which of the few things that a message may mean it means: candidates, vetoes, and a fitted choice."""
