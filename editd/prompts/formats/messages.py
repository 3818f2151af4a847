"""As ``chat``, for a server that applies a chat template itself: the answer opens its own fence."""

from __future__ import annotations

from editd.messages import ChatMessage
from editd.prompts.base import Prompt, PromptParts
from editd.prompts.formats.chat import SYSTEM, user_turn
from editd.prompts.sections import answer_fence


class MessagesFormat:
    """Any model behind a server."""

    name = "messages"

    def prompt(self, parts: PromptParts) -> Prompt:
        """What the system and the user say."""
        fence = answer_fence(parts)
        turns = (ChatMessage("system", SYSTEM), ChatMessage("user", user_turn(parts, fence)))
        return Prompt("\n".join(turn.content for turn in turns), "", fence, messages=turns)

    def refuse(self, parts: PromptParts) -> str | None:  # noqa: ARG002 - general models try anything
        """Nothing is refused."""
        return None
