"""The mail as tools of an agent host: a server of the Model Context Protocol on standard input and output."""
