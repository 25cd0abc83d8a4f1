"""Gemini CLI: its dialect, and what is installed for it."""
