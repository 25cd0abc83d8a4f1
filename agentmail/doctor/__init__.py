"""What can be wrong with a bus: one file a kind of finding."""
