"""The platforms that agents live in: what each runs for us, and what we say there. Standard library only."""
