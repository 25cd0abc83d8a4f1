"""Our entries in a JSON file whose "hooks" hold groups of commands for each event, as several hosts have one."""
