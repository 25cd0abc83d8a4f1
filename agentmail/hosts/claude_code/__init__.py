"""Claude Code: its dialect of hooks, its settings and their installer."""
