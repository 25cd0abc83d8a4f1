"""Edits a settings file that belongs to the user: byte for byte, with a way back. It knows no host."""
