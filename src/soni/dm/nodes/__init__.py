"""The nodes of the orchestrator graph."""
