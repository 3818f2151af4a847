"""What proves editd's figures: run from a checkout, no part of what is installed.

``python -m benchmarks --help`` names the large ones; the others are ``python -m benchmarks.NAME``.
"""
