"""Training of the models that Soni ships."""
