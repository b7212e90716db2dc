"""What the orchestrator node delegates to."""
