"""`python -m agentmail`."""

from agentmail.cli.main import main

raise SystemExit(main())
