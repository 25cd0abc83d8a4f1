"""The real hosts as clients of the MCP server, each with the entry that its own command writes."""
