"""The model's talk left in the file: fence lines, "Here is the updated code:", explanations.

Only for code: in a Markdown file fences and sentences are what one expects. Only at the left
margin: indented, they stand in a string or a comment.
"""

from __future__ import annotations

from editd.checks.rewrite import Doubt, Rewrite, quoted
from editd.prompts.prose import is_prose, is_talk


def doubts(rewrite: Rewrite) -> list[Doubt]:
    """The first such line of each hunk."""
    if rewrite.language in ("markdown", "text", "rst", "latex", "html"):
        return []
    if not rewrite.language and is_prose(rewrite.document.model_text):
        return []
    has_fences = any(line.startswith(("```", "~~~")) for line in rewrite.old_lines)
    found: list[Doubt] = []
    for hunk, start in zip(rewrite.hunks, rewrite.new_starts, strict=True):
        for index, line in enumerate(hunk.new_lines, start):
            if line[:1].isspace() or line.strip() in rewrite.old_stripped:
                continue
            fence = line.startswith(("```", "~~~")) and not has_fences
            if fence or is_talk(line):
                what = "a Markdown fence" if fence else "the model talking"
                reason = f"Line {index + 1} reads like {what}, not like the file: {quoted(line)}."
                found.append(Doubt(reason, (hunk.id,)))
                break  # one sentence a hunk: what follows is more of the same
    return found
