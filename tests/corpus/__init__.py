"""Bad input of every kind, at every door: what a call answers, and that nothing was touched."""
