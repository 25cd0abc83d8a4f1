"""The entry with which a host starts our server of tools: what it runs, how it stands in JSON and in TOML, who wires it."""
