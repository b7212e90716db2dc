"""What starting costs."""
