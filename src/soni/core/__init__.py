"""The vocabulary: values, commands, tasks, texts and state, without any framework."""
