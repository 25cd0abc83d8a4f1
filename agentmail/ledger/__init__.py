"""The facts: append-only lines about what sessions were shown and what they said. Standard library only."""
