"""Errors of single weights, which transformers logs but leaves out of its exception."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager


class _Collector(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.text = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.text += record.getMessage()


@contextmanager
def collected(logger_name: str) -> Iterator[_Collector]:
    """What the logger says meanwhile, kept from every other log; ``text`` has it afterwards."""
    logger, collector = logging.getLogger(logger_name), _Collector()
    level, propagates = logger.level, logger.propagate
    logger.setLevel(logging.WARNING)
    logger.propagate = False
    logger.addHandler(collector)
    try:
        yield collector
    finally:
        logger.removeHandler(collector)
        logger.setLevel(level)
        logger.propagate = propagates
