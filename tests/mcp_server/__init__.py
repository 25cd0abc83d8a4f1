"""The MCP server: as a real process, driven by a client of a few lines and by the official one."""
