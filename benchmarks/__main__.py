"""``python -m benchmarks``."""

from benchmarks.app import app

app()
