"""Queries over messages: threads, receipts, search; they own no file."""
