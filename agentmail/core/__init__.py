"""Core: bytes under names. Standard library only; never parses a message."""
