"""Understanding: from a message to commands."""
