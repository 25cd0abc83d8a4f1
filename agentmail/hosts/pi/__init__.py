"""Pi: an extension that forwards its events, and where it lies."""
