"""The reader's training: data, samples, model, training, export, and the card that says what came out."""
