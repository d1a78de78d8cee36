"""The laws of the graph as pure functions: identity, diff, supersession, scores, feedback."""
