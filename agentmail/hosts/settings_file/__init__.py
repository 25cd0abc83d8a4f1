"""Edit somebody's settings file: byte-exact, under a lock, undone to the byte."""
