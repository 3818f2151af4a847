"""Which replacements an instruction names, in many phrasings; and which it does not."""

import random

import pytest

from editd.intent import parse


def check(instruction, *pairs):
    assert parse(instruction).renames == pairs


@pytest.mark.parametrize(
    "instruction",
    [
        "rename foo to bar",
        "Rename foo to bar.",
        "rename `foo` to `bar`",
        "rename 'foo' to 'bar'",
        'rename "foo" to "bar"',
        "rename “foo” to “bar”",
        "rename ‘foo’ to ‘bar’",
        "rename ``foo`` to ``bar``",
        "rename foo as bar",
        "rename foo -> bar",
        "rename foo => bar",
        "rename: foo → bar",
        "rename foo->bar",
        "rename the function foo to bar",
        "rename the foo function to bar",
        "rename the function foo to the name bar",
        "rename function `foo` to `bar` everywhere",
        "rename foo everywhere to bar",
        "rename foo to bar, everywhere in this file",
        "rename the variable called foo to bar",
        "rename all occurrences of foo to bar",
        "rename every use of `foo` to `bar`",
        "please rename foo to bar in the whole file",
        "rename the parameter foo of parse_header to bar",
        "rename foo in main to bar",
        "in server.py, rename foo to bar",
        "Renamed foo to bar",
        "renaming foo to bar",
        "I want foo renamed to bar",
        "foo should be renamed to bar",
        "all calls to foo must be replaced by bar",
        "replace foo with bar",
        "replace foo by bar",
        "Replace all `foo` with `bar`!",
        "replace every 'foo' by 'bar'",
        "replace the string 'foo' with 'bar'",
        "replace the identifier foo with bar",
        "substitute foo with bar",
        "substitute bar for foo",
        "swap foo for bar",
        "swap out foo for bar",
        "find foo and replace it with bar",
        "search for foo and replace with bar",
        "find and replace foo with bar",
        "change foo to bar",
        "change the name of foo to bar",
        "change foo's name to bar",
        "change `foo` into `bar` where it is called",
        "change the setting from foo to bar",
        "change from foo to bar",
        "turn 'foo' into 'bar'",
        "use bar instead of foo",
        "use `bar` rather than `foo`",
        "use the name bar instead of foo",
        "bar instead of foo",
        "prefer bar over foo",
        "call foo bar instead",
        "call the function `foo` `bar`",
        "give foo the name bar instead",
        "foo should be called bar",
        "the function foo should be named bar",
        "'foo' should be 'bar'",
        "foo -> bar",
        "refactor: foo => bar",
        "s/foo/bar/",
        "s/foo/bar/g please",
        "run s|foo|bar| over this",
        r"s/\bfoo\b/bar/g",
        "rename foo() to bar()",
        "rename foo() to bar",
        "rename Spam.foo to Spam.bar",
        "rename the method Spam.foo to bar",
        "rename foo to bar because foo is a bad name",
        "rename foo to bar (keep the old name as an alias)",
        "rename foo to bar and add a docstring",
        "don't touch the tests, rename foo to bar",
    ],
)
def test_one_pair_is_read_from_many_phrasings(instruction):
    check(instruction, ("foo", "bar"))


@pytest.mark.parametrize(
    ("instruction", "pairs"),
    [
        ("rename a to b and c to d", [("a", "b"), ("c", "d")]),
        ("rename a to b, c to d and e to f", [("a", "b"), ("c", "d"), ("e", "f")]),
        ("rename foo_a and foo_b to bar_a and bar_b", [("foo_a", "bar_a"), ("foo_b", "bar_b")]),
        ("rename class Foo to Bar and function baz to qux", [("Foo", "Bar"), ("baz", "qux")]),
        ("rename x_1 to x_2, then replace y_1 by y_2", [("x_1", "x_2"), ("y_1", "y_2")]),
        ("rename alpha -> beta, gamma -> delta", [("alpha", "beta"), ("gamma", "delta")]),
        (
            "replace pytest-asyncio and pytest-trio with anyio",
            [("pytest-asyncio", "anyio"), ("pytest-trio", "anyio")],
        ),
        ("rename i to index and j to k", [("i", "index"), ("j", "k")]),
        ("s/one/two/\ns/three/four/", [("one", "two"), ("three", "four")]),
    ],
)
def test_several_pairs(instruction, pairs):
    check(instruction, *pairs)


@pytest.mark.parametrize(
    ("instruction", "pair"),
    [
        ('replace "hello, world" with "good bye"', ("hello, world", "good bye")),
        (r'replace "say \"hi\"" with "say \"ho\""', ('say "hi"', 'say "ho"')),
        ("replace `old` with ``", ("old", "")),
        ('replace "old" with ""', ("old", "")),
        ("replace `old` with nothing", ("old", "")),
        ("change 30 to 60", ("30", "60")),
        ("change the timeout from 30 to 60", ("30", "60")),
        ("bump the version from 1.2.3 to 1.3.0", ("1.2.3", "1.3.0")),
        ("replace os.path with pathlib", ("os.path", "pathlib")),
        ("replace std::string by std::string_view", ("std::string", "std::string_view")),
        ("Rename --nul-output to --raw-output0, abort on a NUL", ("--nul-output", "--raw-output0")),
        ("rename value to result", ("value", "result")),
        ("change max_size into size_limit", ("max_size", "size_limit")),
        ("max_size should be size_limit", ("max_size", "size_limit")),
        ("call max_size size_limit", ("max_size", "size_limit")),
        ("rename peekedInteger to peekedLong", ("peekedInteger", "peekedLong")),
        ("rename größe to höhe", ("größe", "höhe")),
        ("rename $el to $element", ("$el", "$element")),
        ("refactor: adaptor -> backend", ("adaptor", "backend")),
        ("use print instead of logging", ("logging", "print")),
        ("s/path\\/old/path\\/new/", ("path/old", "path/new")),
    ],
)
def test_odd_terms_are_kept_as_they_are(instruction, pair):
    check(instruction, pair)


@pytest.mark.parametrize(
    "instruction",
    [
        "",
        "rename",
        "rename foo",
        "rename foo to",
        "rename foo to foo",
        "rename the function to bar",
        "rename the variable to something clearer",
        "rename x to a better name",
        "rename it to be more descriptive",
        "rename files to use dashes",
        "don't rename foo to bar",
        "do not rename foo to bar",
        "I don't want foo renamed to bar",
        "foo should not be renamed to bar",
        "never replace foo with bar",
        "fix the bug without renaming foo to bar",
        "instead of renaming foo to bar, delete it",
        "change the loop to a comprehension",
        "change the code to use async",
        "change the color to red",
        "change the return type to int",
        "convert the function to async",
        "convert foo to async",
        "convert snake_case to camelCase",
        "convert strings to f-strings",
        "Replace tabs with spaces",
        "replace semicolons with newlines",
        "replace all occurrences of tabs with spaces",
        "use snake_case instead of camelCase",
        "rename snake_case -> camelCase",
        "change commas to semicolons",
        "tabs -> spaces",
        "replace `\\t` with four spaces",
        "replace the loop with a comprehension",
        "replace the list with a set",
        "use f-strings",
        "use Mozilla documentation instead of `httpstatuses.com`",
        "loop from 0 to 10",
        "copy from a to b",
        "set timeout to 30",
        "timeout should be 30",
        "x should not be y",
        "add a type hint: def f(x) -> int",
        "annotate f() -> None",
        "use ptr->field",
        "(x) => x + 1",
        "move foo from utils to helpers",
        "add a docstring to foo",
        "delete foo and bar",
        "s/[a-z]+/x/",
        "and/or/not",
        "https://example.org/s/a/b/",
        "what does foo -> do",
        "call foo from bar",
        "go to definition",
    ],
)
def test_no_pair_is_made_up(instruction):
    check(instruction)


@pytest.mark.parametrize("mark", ["`", "'", '"', "rename a ", "-> ", "(", "s/a", "“ "])
def test_a_hostile_instruction_is_read_in_time(mark):
    assert (
        len(parse(mark * 100_000).renames) < 2
    )  # a regular expression that backtracks would take hours


WORDS = """
rename replace change use call instead of to by with from the a all function foo bar `x y` "p q" -> =>
and , . : ( ) don't in should be named it nothing find s/a/b/ it's 'c' foo() Foo.bar 30 → “z” ` "
""".split()  # noqa: SIM905 - read as a list of words


@pytest.mark.parametrize("seed", range(30))
def test_any_words_can_be_read_and_nothing_is_invented(seed):
    rng = random.Random(seed)
    for _ in range(200):
        instruction = " ".join(rng.choices(WORDS, k=rng.randrange(12)))
        for old, new in parse(instruction).renames:
            assert old in instruction
            assert new in instruction
            assert old
            assert old != new
