"""Commands that produce editd's figures, run from a checkout; no part of an installation.

``python -m benchmarks --help`` names the large ones; the others are ``python -m benchmarks.NAME``.
"""
