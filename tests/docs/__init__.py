"""What is written is run: the blocks of the documents, and the reference that is generated from the app."""
