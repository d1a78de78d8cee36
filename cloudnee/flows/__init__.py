"""The stages of the flows that touch the store: `memory.py` names them, one line an arrow."""
