"""The floor: bytes under names. Standard library only; never opens a message."""
