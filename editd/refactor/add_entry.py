"""Adds a key with its value to a section of a JSON file, behind the others or in their order.

package.json, "add a test script that runs vitest"::

    {
      "scripts": {
        "build": "vite build"
      },
      "devDependencies": {
        "vitest": "^1.2.2"
      }
    }

becomes::

    {
      "scripts": {
        "build": "vite build",
        "test": "vitest"
      },
      "devDependencies": {
        "vitest": "^1.2.2"
      }
    }
"""

from __future__ import annotations

import json
import re

from editd.intent.intents import AddEntry
from editd.refactor.candidates import Candidates, with_spans
from editd.syntax.code import Code
from editd.syntax.containers import Container
from editd.syntax.members import members_of

_FEWEST_SORTED = 3  # keys that show an order
_COMMANDS = frozenset(
    """
    node npm npx yarn pnpm bun deno tsc tsx ts-node vite vitest jest mocha ava playwright cypress eslint prettier biome stylelint next
    nuxt astro webpack rollup esbuild parcel tsup rimraf nodemon concurrently turbo nx sass postcss tailwindcss storybook prisma
    husky lint-staged serve http-server echo rm cp mkdir cd sh bash make docker python python3 cross-env svelte-check vue-tsc ng
    """.split()  # noqa: SIM905
)


def add_entry(intent: AddEntry, code: Code) -> Candidates | None:
    """The text in which the section of the top level that is named has the key, as a certain candidate: in order if at least three keys are
    in order, and the section is none of scripts, else behind them. The text itself, with ``nothing_to_do``, if it is there with this value.

    ``None`` for other files than JSON, without such a section that has keys with texts, if the key has another value, or a script does not
    begin with a command but with another script.
    """
    if code.language not in ("json", "jsonc"):
        return None
    whole = members_of(code.text, code.language)
    section = _section(intent.of, whole, code) if whole else None
    if section is None or not section.members:
        return None
    is_script = intent.of == "scripts"
    keys = [_key(x.start, code) for x in section.members]
    if is_script and (
        intent.value.split(maxsplit=1)[0] in keys or not _is_command(intent.value, code)
    ):
        return None
    if None in keys or "\n" not in code.text[section.start : section.members[0].start]:
        return None
    if intent.name in keys:
        member = section.members[keys.index(intent.name)]
        if not code.text[member.start : member.end].endswith(json.dumps(intent.value)):
            return None
        done = f"“{intent.name}” is already in {intent.of}"
        return Candidates((code.text,), is_certain=True, nothing_to_do=done)
    written = f"{json.dumps(intent.name)}: {json.dumps(intent.value, ensure_ascii=False)}"
    names = [x or "" for x in keys]
    is_sorted = len(names) >= _FEWEST_SORTED and names == sorted(names) and not is_script
    number = sum(x < intent.name for x in names) if is_sorted else len(names)
    first = section.members[min(number, len(names) - 1)]
    line = code.text.rfind("\n", 0, first.start) + 1
    indent = code.text[line : first.start]
    if indent.strip():
        return None
    if number < len(names):
        span = (first.start, first.start, f"{written},\n{indent}")
    else:
        span = (first.end, first.end, f",\n{indent}{written}")
    return Candidates((with_spans(code.text, [span]),), is_certain=True)


def _section(name: str, whole: Container, code: Code) -> Container | None:
    """The one object that the top level has under a name, whatever its case."""
    for container in (
        whole,
        *(x.inner for x in whole.members if x.inner and len(whole.members) == 1),
    ):
        found = [
            x.inner
            for x in container.members
            if x.inner and (_key(x.start, code) or "").lower() == name.lower()
        ]
        if len(found) == 1 and not found[0].is_list:
            return found[0]
    return None


def _key(start: int, code: Code) -> str | None:
    """The key of the member at ``start``; ``None`` without one."""
    found = re.compile(r"\"([^\"\\]*)\"\s*:").match(code.text, start)
    return found[1] if found else None


def _is_command(value: str, code: Code) -> bool:
    """Whether a value begins with a command: a usual one, one of the file's own scripts or packages, or a path."""
    first = value.split(maxsplit=1)[0]
    return (
        first in _COMMANDS
        or first.startswith(("./", "scripts/"))
        or re.search(
            rf"\"(?:@[\w-]+/)?{re.escape(first)}\"\s*:|: \"{re.escape(first)}[ \"]", code.text
        )
        is not None
    )
