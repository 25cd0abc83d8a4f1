"""Bad input of every kind to every command: the answer is right, and nothing is changed."""
