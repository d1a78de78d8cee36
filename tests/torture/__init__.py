"""Real README and documentation pages, remembered: no error, nothing lost, no fact from code."""
