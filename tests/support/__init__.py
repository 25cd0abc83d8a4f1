"""Shared by the tests of all packages: an independent reader of the bus, runners, faults."""
