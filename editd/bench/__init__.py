"""Benchmarks that a user can run."""
