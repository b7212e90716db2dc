"""What serving costs on top of the engine."""
