"""What doctor looks at, one kind of thing a module; each check adds its findings to one examination.

Nothing here raises for what it finds: what cannot be looked at is a finding too, and the rest goes on.
"""
