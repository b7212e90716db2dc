"""What a durable turn costs, and whether it stays that way."""
