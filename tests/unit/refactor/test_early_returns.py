"""Early returns by the words for their condition, and of several nested conditions."""

import pytest

from editd.messages import EditRequest
from editd.refactor.computed import compute_edit

PARSE = """\
def parse(line, debug):
    found = PATTERN.match(line)
    if found is not None:
        log(line)
        return found
    return None


def remind(users):
    for user in users:
        if user.active:
            if not user.muted:
                send(user)


def trace(debug):
    if debug:
        print(1)
        print(2)
"""
PROMOTE = """\
export function promote(user, role) {
  if (user) {
    if (role !== 'admin') {
      user.role = role;
      return true;
    }
  }
  return false;
}
"""


def computed(instruction, text, path):
    result = compute_edit(EditRequest("1", text, instruction, path=path))
    return None if result is None or result.text == text else result.text


@pytest.mark.parametrize(
    ("instruction", "new"),
    [
        ("parse: return None early if there's no match", ["    if found is None:\n        return None\n    log(line)\n    return found\n"]),
        ("in parse, handle found is None first and return", ["    if found is None:\n        return None\n    log(line)\n"]),
        ("use continue guards rather than the two nested ifs in remind",
         ["        if not user.active:\n            continue\n        if user.muted:\n            continue\n        send(user)\n"]),
        ("flip the check in parse, return None straight away when there's nothing there, and get rid of the else",
         ["    if found is None:\n        return None\n    log(line)\n"]),
        ("In parse, deal with a missing match first and return None right there, so the rest needn't be nested.",
         ["    if found is None:\n        return None\n    log(line)\n"]),
        ("parse: invert the if so that none is returned at once and the log comes after, unindented",
         ["    if found is None:\n        return None\n    log(line)\n"]),
        ("trace: just return at the beginning if not debug, instead of wrapping everything in an if",
         ["    if not debug:\n        return\n    print(1)\n"]),
        ("return early from trace if not debug", ["    if not debug:\n        return\n    print(1)\n"]),
    ],
)  # fmt: skip
def test_the_condition_that_is_meant_comes_first(instruction, new):
    text = computed(instruction, PARSE, "a.py")
    assert text is not None
    assert all(lines in text for lines in new)


def test_each_nested_condition_has_what_follows_the_first():
    assert computed("flatten the nested ifs in promote with early returns", PROMOTE, "a.js") == (
        "export function promote(user, role) {\n  if (!user) {\n    return false;\n  }\n"
        "  if (role === 'admin') {\n    return false;\n  }\n  user.role = role;\n  return true;\n}\n"
    )


@pytest.mark.parametrize(
    "instruction",
    [
        "parse: return None early if there is a match",  # the contrary
        "return early from trace if debug",
        "parse: return None early if the line is too long",
        "parse: return 0 early if there's no match",
        "return early from trace if not verbose",
        "parse: return None early if there's no match and no debug",
        "in parse, return early unless debug is on",
        "return early in parse, but keep the log",
        "use guard clauses in parse only if they are short",
        "use early returns in save",
    ],
)
def test_another_condition_is_for_a_model(instruction):
    assert computed(instruction, PARSE, "a.py") is None


@pytest.mark.parametrize(
    ("path", "text", "new"),
    [
        (
            "a.py",
            "def cost(order, country):\n    if order is not None:\n        if order.items:\n            if country in RATES:\n                return RATES[country]\n            else:\n                raise Far(country)\n        else:\n            raise Empty()\n    else:\n        return None\n",
            "def cost(order, country):\n    if order is None:\n        return None\n    if not order.items:\n        raise Empty()\n    if country not in RATES:\n        raise Far(country)\n    return RATES[country]\n",
        ),
        (
            "a.js",
            "function cost(order, country) {\n  if (order) {\n    if (country) {\n      log(order);\n      return 1;\n    } else {\n      throw new Far();\n    }\n  } else {\n    return null;\n  }\n}\n",
            "function cost(order, country) {\n  if (!order) {\n    return null;\n  }\n  if (!country) {\n    throw new Far();\n  }\n  log(order);\n  return 1;\n}\n",
        ),
    ],
)  # fmt: skip
def test_nested_conditions_with_an_else_each_are_all_turned(path, text, new):
    assert computed("flatten the nested ifs in cost with early returns", text, path) == new
