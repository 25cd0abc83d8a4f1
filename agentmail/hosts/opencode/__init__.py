"""opencode: a plugin that forwards its events, and where it lies."""
