"""Documents are executed: their code blocks run, and the reference is generated from the program."""
