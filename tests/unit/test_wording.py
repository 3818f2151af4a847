"""One place words a message for its door: no flag in an editor, no button in a terminal."""

import ast
import re
from pathlib import Path

import pytest

import editd
from editd.daemon.framing import Truncated
from editd.embedded.refusals import ALL_KINDS, OTHER_MODEL
from editd.errors import ModelNotFound
from editd.frontends.worded_client import WordedClient
from editd.messages import EditRequest, EditResult, ErrorInfo, Progress
from editd.wording import worded

ROOT = Path(editd.__file__).parent
ELSEWHERE = ("frontends", "intent", "linters")  # a terminal's words, examples, command lines
EDITORS = ("vscode", "neovim", "editor")
FLAG = re.compile(r"(?<![\w-])--[a-z]|\(-i\)")
COMMAND_LINE = re.compile(r"`editd [^`]*` in a terminal|`[^`]*`(?= once)")
BUTTONS = ("Choose Model", "Show Log", "Another Way", ":Editd")


@pytest.mark.parametrize(
    ("sentence", "vscode", "neovim", "editor"),
    [
        ("Edit fewer lines at a time (--range).",) + 3 * ("Edit fewer lines at a time (select them).",),
        ("Select fewer with --range START:END (12 fit).",) + 3 * ("Select fewer lines (12 fit).",),
        ("Name it, or select lines with --range START:END (12 fit).",)
        + 3 * ("Name it, or select lines (12 fit).",),
        ("Allow more (--max-new-tokens).",) + 3 * ("Allow more (the setting decode.max_new_tokens).",),
        (
            "Trust its project (--workspace).",
            "Trust its project (“Manage Workspace Trust”).",
            "Trust its project (the option trust_workspace).",
            "Trust its project (the setting workspace.trusted).",
        ),
        ("Say what to change (-i).",) + 3 * ("Say what to change.",),
        (
            "All of it would take 9 s (--way whole).",
            "All of it would take 9 s (“Another Way…”).",
            "All of it would take 9 s (:EditdRetry).",
            "All of it would take 9 s.",
        ),
        (
            "It broke; see `editd logs`.",
            "It broke; see “Show Log”.",
            "It broke; see :checkhealth editd.",
            "It broke; see `editd logs` in a terminal.",
        ),
        (
            f"No: {OTHER_MODEL}",
            "No: choose a larger model (“Choose Model…”).",
            "No: choose a larger model (:EditdModel).",
            "No: choose a larger model (the setting model.name).",
        ),
        (f"It can rename ({ALL_KINDS}).",) + 3 * ("It can rename (`editd presets` in a terminal lists all).",),
        (
            "Choose another model (`editd models list`).",
            "Choose another model (“Choose Model…”).",
            "Choose another model (:EditdModel).",
            "Choose another model (the setting model.name).",
        ),
        ("Run `editd stop`: it ends.",) + 3 * ("Run `editd stop` in a terminal: it ends.",),
        ("Nothing to change --- here.",) + 3 * ("Nothing to change --- here.",),
    ],
)  # fmt: skip
def test_a_sentence_for_each_door(sentence, vscode, neovim, editor):
    assert worded(sentence, "terminal") == sentence
    for door, expected in zip(EDITORS, (vscode, neovim, editor), strict=True):
        assert worded(sentence, door) == expected
        assert worded(expected, door) == expected


@pytest.mark.parametrize(
    ("sentence", "mcp", "http"),
    [
        ("Edit fewer lines at a time (--range).", "Edit fewer lines at a time (`lines`).", "Edit fewer lines at a time."),
        ("Allow more (--max-new-tokens).",) + 2 * ("Allow more (the setting decode.max_new_tokens).",),
        ("All of it would take 9 s (--way whole).",) + 2 * ("All of it would take 9 s.",),
        ("It broke; see `editd logs`.",) + 2 * ("It broke; see `editd logs` in a terminal.",),
    ],
)  # fmt: skip
def test_a_sentence_for_a_program(sentence, mcp, http):
    for door, expected in (("mcp", mcp), ("http", http)):
        assert worded(sentence, door) == expected
        assert worded(expected, door) == expected


def sentences():
    """Every text of editd's that may reach an editor, with an X for each value in it."""
    for file in sorted(ROOT.rglob("*.py")):
        if file.relative_to(ROOT).parts[0] in ELSEWHERE or file.name in (
            "wording.py",
            "config.py",
        ):
            continue
        tree = ast.parse(file.read_text())
        docs = {
            id(node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        }
        parts = {
            id(part)
            for node in ast.walk(tree)
            if isinstance(node, ast.JoinedStr)
            for part in node.values
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                yield "".join(x.value if isinstance(x, ast.Constant) else "X" for x in node.values)
            elif isinstance(getattr(node, "value", None), str) and id(node) not in docs | parts:
                yield node.value


def test_no_flag_but_in_a_terminal_and_no_button_there():
    found = [text for text in sentences() if " " in text and "\\" not in text]
    found = [
        text for text in found if not text.startswith(("uv tool", "pipx", " --with", "diff --git"))
    ]
    named = [text for text in found if FLAG.search(text) or "`editd " in text]
    assert len(named) > 30
    for door in (*EDITORS, "mcp", "http"):
        left = [worded(text, door) for text in named]
        assert [text for text in left if FLAG.search(COMMAND_LINE.sub("", text))] == []
    assert [text for text in found if any(button in text for button in BUTTONS)] == []


class Engine:
    """An engine that says what a terminal is told, then raises."""

    def __init__(self, error):
        self.error = error

    async def ask(self, request):
        yield Progress("1", "queued", "see `editd logs`")
        error = ErrorInfo("refused", "Too long (--range).")
        yield EditResult("1", "refused", notices=("Slow (--way whole).",), error=error)
        raise self.error


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ModelNotFound("No such model: `editd models` lists them."), "No such model: :EditdModel lists them."),
        (Truncated(), "The connection was closed in the middle of a message."),  # takes no words
    ],
)  # fmt: skip
async def test_all_that_an_engine_says_is_reworded(error, words):
    asking = WordedClient(Engine(error), "neovim").ask(EditRequest("1", "a", "b"))
    progress, result = await anext(asking), await anext(asking)
    assert progress.message == "see :checkhealth editd"
    assert result.error.message == "Too long (select them)."
    assert result.notices == ("Slow (:EditdRetry).",)
    with pytest.raises(type(error)) as raised:
        await anext(asking)
    assert str(raised.value) == words
