"""What hooks do in every host: look, say, guard, wake; decided here, worded for a host by its dialect."""
