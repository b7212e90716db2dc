"""From a flow's definition to the graph that runs it."""
