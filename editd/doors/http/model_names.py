"""The names under which clients can ask for the one model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import editd
from editd.doors.http.replies import HttpError

# The second is for clients that send a prediction only to models whose name they know.
ALIASES = ("editd", "editd-Fast-Apply")


class Models:
    """The names that are served. configured: as in the configuration; a folder goes by its name.

    edit_format: the prompt format of a model that accepts only its own edits.
    """

    def __init__(self, configured: str, edit_format: str = "") -> None:
        self._abilities: dict[str, Any] = {"version": editd.__version__, "fields": ["prediction"]}
        if edit_format:
            self._abilities["format"] = edit_format
        path = Path(configured.removeprefix("llama_cpp:"))
        shown = path.name if path.is_absolute() else configured
        self.names = tuple(dict.fromkeys([*ALIASES, shown]))

    def check(self, name: str | None) -> str:
        """The name to answer with; raises ``HttpError`` for one that is not served."""
        if name is None:
            return ALIASES[0]
        if name not in self.names:
            known = ", ".join(self.names)
            raise HttpError(
                404,
                f"There is no such model here: use one of {known}.",
                code="model_not_found",
            )
        return name

    def told(self) -> dict[str, Any]:
        """The list, in OpenAI's words."""
        return {"object": "list", "data": [self.one(name) for name in self.names]}

    def one(self, name: str) -> dict[str, Any]:
        """One of them; ``editd``: fields for an editd on another machine."""
        card = {"id": name, "object": "model", "created": 0, "owned_by": "editd"}
        return {**card, "editd": self._abilities}
