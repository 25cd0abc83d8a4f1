"""Checks of a bus: one file for each kind of finding."""
