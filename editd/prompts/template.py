"""What a model's chat template puts around people's words.

The template sees stand-ins, never what a user wrote, so no template can trim, rewrite or interpret that.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from editd.errors import ModelUnsupported
from editd.prompts.base import RenderChat


def around(render_chat: RenderChat, messages: Sequence[tuple[str, str | None]]) -> list[str]:
    """The template's text before each message of a user's, and behind the last one.

    messages: roles and contents; ``None`` for a user's words. Raises ``ModelUnsupported`` where the
    template does not repeat each of them once, in this order.
    """
    shown = [
        {"role": role, "content": f"\ue000words {number}\ue001" if content is None else content}
        for number, (role, content) in enumerate(messages)
    ]
    pieces = _STAND_IN.split(render_chat(shown))
    users = [number for number, (_, content) in enumerate(messages) if content is None]
    if pieces[1::2] != list(map(str, users)):
        raise ModelUnsupported(
            "This model's chat template does not repeat each message exactly once: choose the format "
            '"plain" for it, or another model.'
        )
    return pieces[::2]


_STAND_IN = re.compile("\ue000words (\\d+)\ue001")  # private-use characters: in no template
