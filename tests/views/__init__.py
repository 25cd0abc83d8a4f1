"""Tests of the readers that views go over: the files themselves, and the index."""
