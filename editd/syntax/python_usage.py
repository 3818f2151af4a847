"""Names that a Python text uses and nothing defines, by pyflakes."""

from __future__ import annotations

import ast
import warnings

from pyflakes.checker import Checker
from pyflakes.messages import UndefinedName


def undefined_names(tree: ast.Module) -> dict[str, int] | None:
    """Undefined names with the 0-based line of their first use; ``None`` where pyflakes gives up."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            messages = Checker(tree).messages
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    uses = [message for message in messages if isinstance(message, UndefinedName)]
    uses.sort(key=lambda message: -message.lineno)
    return {str(x.message_args[0]): int(x.lineno) - 1 for x in uses}
