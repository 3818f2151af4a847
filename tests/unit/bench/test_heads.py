"""Heads for a reader show what a caller must know: whether a function is awaited."""

import ast

import pytest

from benchmarks.heads import Head


@pytest.mark.parametrize("start", ["async def", "def"])
def test_a_head_shows_whether_the_function_is_awaited(start):
    [node] = ast.parse(f"{start} f(x: int) -> int:\n    'Double it.'\n    return 2 * x").body
    head = Head("f.py", "Numbers.", "", node).text(1, with_body=False)
    assert head.splitlines()[2:] == [f"{start} f(x: int) -> int:", "    Double it."]
