"""The command line: one grammar, one printer, one place that turns errors into exit codes."""
