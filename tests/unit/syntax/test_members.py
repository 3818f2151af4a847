"""The members of a text's containers, and which ones a text has lost: one table for all ways of writing them."""

import random

import pytest

from editd.syntax.members import is_same, lost_members, match_members, members_of

# language, text, and its members: a key, or a key with the members that it holds; "-" is a member without a key
TEXTS = [
    ("json", '{"a": 1, // c\n "b": {"c": [1, 2], "d": "}"}}', ["a", ["b", "c", "d"]]),
    ("json", '"a": {"b": 1},\n"c": 2', [["a", "b"], "c"]),
    ("json", '[{"name": "x"}, {"name": "y"}]', [["-", "name"], ["-", "name"]]),
    ("typescript", "const a: A<B, C> = { b: 1, ...c, d() { return { e: 1 } }, 'f-g': (x) => ({ h: 1 }) };", [["a", "b", "...c", "d", "f-g"]]),
    ("typescript", "export default defineConfig({ a: [b()], c: { d: 1 } })", [["defineConfig()", "a", ["c", "d"]]]),
    ("typescript", "interface A<T = B> {\n  readonly a?: Map<string, B>;\n  b(c: { d: E }): void\n  [key: string]: any\n}", [["interface A", "a", "b()", "[key: string]"]]),
    ("typescript", "type A = {\n  a: string\n  b: { c: number }\n}", [["A", "a", ["b", "c"]]]),
    ("javascript", "class A {\n  #a = 1\n  static async b(c) { if (d) { e = 1 } }\n}", [["class A", "#a", "b()"]]),
    ("javascript", "function f() { return { a: 1, b: 2 } }\nif (x) { y = 1 }", ["f()", "if()"]),
    ("css", ".a, .b:hover { color: red; background: url(x;y) }\n@media (x: 1px) { .c { margin: 0 } }", [[".a, .b:hover", "color", "background"], ["@media (x: 1px)", [".c", "margin"]]]),
    ("scss", "$a: (b: 1, c: 2);\n.d { @include e($f); &:hover { g: h } }", [["$a", "b", "c"], [".d", "@include", ["&:hover", "g"]]]),
    ("go", 'import (\n\t"a"\n\tb "c/d"\n)\ntype E struct {\n\tF, G string `h:"i"`\n\t*J\n}\nfunc (e *E) K() { l := M{N: 1} }', [["import", "a", "c/d"], ["E", "F", "*J"], "E.K()"]),
    ("rust", "#[derive(A)]\npub struct B<'a> {\n  /// c\n  pub(crate) d: &'a str,\n  e: F<G, H>,\n}\nenum I { J, K(u8), L { m: N } }\nimpl O for B { fn p(&self) -> X { y } }", [["struct B", "d", "e"], ["enum I", "J", "K", "L"], ["impl O for B", "p()"]]),
    ("java", "@A\npublic enum B {\n  C(1), // d\n  E(2);\n  private final int f;\n  B(int f) { this.f = f; }\n}", [["enum B", "C", "E", "f", "B()"]]),
    ("csharp", "namespace A {\n  [B]\n  public class C : D {\n    public int E { get; set; } = 5;\n    int F() => 1;\n  }\n}", [["namespace A", ["class C", "E", "F()"]]]),
    ("kotlin", "enum class A(val b: Int) {\n  C(1), D(2);\n  fun e() = 1\n}\ndata class F(\n  val g: Int = 1,\n  val h: List<I>\n)", [["enum class A", "C", "D", "e()"], ["class F", "g", "h"]]),
    ("kotlin", 'dependencies {\n  implementation("a:b:1")\n  api("c:d:2")\n}', [["dependencies", "implementation", "api"]]),
    ("swift", 'enum A: String {\n  case b = "c"\n  case d, e\n  var f: Int { 1 }\n}', [["enum A", "b", "d", "f"]]),
    ("c", "#define A 1\ntypedef struct b {\n  int c;\n  struct b *d;\n  char e[10];\n} b_t;\nenum f { G = 1, H };", [["struct b", "c", "d", "e"], ["enum f", "G", "H"]]),
    ("cpp", "class A {\npublic:\n  int b = 1;\n  void c() const;\nprivate:\n  D<E, F> g_;\n};", [["class A", "b", "c()", "g_"]]),
    ("php", "<?php\nreturn [\n  'a' => b(1, 2),\n  'c' => ['d' => 1],\n];", [["return", "a", ["c", "d"]]]),
    ("ruby", 'A = {\n  b: 1,\n  "c-d" => 2,\n  :e => 3,\n}', [["A", "b", "c-d", "e"]]),
    ("lua", 'return {\n  a = 1, ["b"] = 2,\n  c = { d = 3 },\n}', [["return", "a", '["b"]', ["c", "d"]]]),
    ("hcl", 'resource "a" "b" {\n  c = 1\n  tags = {\n    d = 2\n  }\n  e { f = 3 }\n}', [['resource "a" "b"', "c", ["tags", "d"], ["e", "f"]]]),
    ("protobuf", 'syntax = "proto3";\nmessage A {\n  string b = 1;\n  map<c, d> e = 2;\n  oneof f { int32 g = 3; }\n}', ["syntax", ["message A", "b", "e", ["oneof f", "g"]]]),
    ("graphql", "type A {\n  b: ID!\n  c(d: E): F\n}", [["type A", "b", "c"]]),
    ("sql", "CREATE TABLE a (\n  b INT,\n  c VARCHAR(10) DEFAULT 'x,y', -- d\n  PRIMARY KEY (b)\n);", [["create table a", "b", "c", "PRIMARY"]]),
    ("nginx", "server {\n  listen 80;\n  location /a {\n    proxy_pass http://b; # c\n  }\n  if ($d) { return 1; }\n}", [["server", "listen", ["location /a", "proxy_pass"], "if ($d)"]]),
    ("", "server {\n  listen 80;\n}", [["server", "listen"]]),
    ("yaml", 'a: # b\n  c: "d: e"\n  f:\n    - g: 1\n      h: 2\n  i: |\n    j: k\n# l\nm: {n: o}', [["a", "c", ["f", ["-", "g", "h"]], "i"], "m"]),
    ("yaml", "kind: A\nmetadata:\n  name: b\n---\nkind: C\n", [["A/b", "kind", ["metadata", "name"]], ["C", "kind"]]),
    ("toml", 'a = 1\n[b.c] # d\ne = [\n  "f", # g\n]\nh = { i = 1 }\n[[j]]\nk = """\nl = 1\n"""', ["a", ["[b.c]", "e", ["h", "i"]], ["[[j]]", "k"]]),
    ("ini", '[a]\nb = 1\nc: 2\n[d "e"]\n\tf = g', [["[a]", "b", "c"], ['[d"e"]', "f"]]),
    ("python", 'import a\n@b\nclass C(D):\n    """E"""\n    f: int = 1  # g\n    h = 2\n    def i(self):\n        j = 1\n    class K:\n        l = 1\nM = {"n": 1, **o}\np(q=1, r=2)', ["-", ["C", "-", "f", "h", "i()", ["K", "l"]], ["M", "n", "**o"], ["p()", "q", "r"]]),
    ("xml", '<?xml version="1.0"?>\n<a>\n  <!-- b -->\n  <c key="d"/>\n  <e><f>1</f><f>2</f></e>\n</a>', [["<a>", "<c>", ["<e>", "-", "-"]]]),
    ("html", '<head>\n<meta name="a">\n<link rel="b" href="c">\n<title>d</title>\n</head>\n<div><p>e</p></div>', [["<head>", "<meta>", "<link>", "<title>"], ["-", "-"]]),
    ("vue", "<template><p>a</p></template>\n<script>\nexport default { b: 1, c: { d: 2 } }\n</script>", [["<template>", "-"], ["<script>", ["export default", "b", ["c", "d"]]]]),
]  # fmt: skip


def shape(container):
    return [
        member.key or "-" if member.inner is None else [member.key or "-", *shape(member.inner)]
        for member in container.members
    ]


@pytest.mark.parametrize(("language", "text", "members"), TEXTS)
def test_each_language_has_its_members(language, text, members):
    found = members_of(text, language)
    assert shape(found) == members
    check_offsets(found, text)


def check_offsets(container, text):
    """Members stand in order within their container, and the comments above and what follows belong to one each."""
    last = container.start
    for member in container.members:
        assert last <= member.top <= member.start < member.end <= member.after <= len(text)
        assert not text[member.start].isspace()
        assert not text[member.end - 1].isspace()
        last = member.after
        if member.inner is not None:
            assert member.start <= member.inner.start <= member.inner.end <= member.end
            check_offsets(member.inner, text)
    assert last <= max(container.end, last if container.is_list or not container.parting else 0)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("json", '{"a": 1'),
        ("javascript", "const a = {"),
        ("yaml", "a: 1\nprose without a key\n"),
        ("yaml", "\ta: 1"),
        ("toml", "a = [\n1"),
        ("toml", "prose"),
        ("xml", "<a><b></a>"),
        ("xml", "<a>"),
        ("markdown", "# a\n"),
        ("", "prose, and { brackets }\nreturn 1\n"),
        ("", "just words"),
        ("dockerfile", "FROM a\n"),
        ("json", "{" + " " * (1 << 18) + "}"),
    ],
)
def test_other_texts_have_none(language, text):
    assert members_of(text, language) is None


# language, before, after, keys that are lost
LOST = [
    ("json", '{"a": 1, "b": {"c": 1, "d": 2}}', '{"b": {"d": 3}, "e": 1}', ["a", "c"]),
    ("json", '{"a": [{"b": 1}]}', '{"a": []}', []),  # a list, as it is shown
    ("json", '{"a": [{"name": "x", "b": 1}]}', '{"a": [{"name": "x"}]}', ["b"]),
    ("json", '{"a": {"b": 1}}', '{"a": 2}', ["b"]),
    ("python", "def f():\n    a = 1\n    b = 2\n", "def f():\n    b = 2\n", []),
    ("python", "a = 1\nb = 2\n", "b = 2\n", []),  # statements
    ("python", "class A:\n    a = 1\n    b = 2\n", "class A:\n    b = 3\n", ["a"]),
    ("css", ".a { b: c; d: e }", ".a { d: f }", ["b"]),
    ("go", 'import (\n\t"a"\n\t"b"\n)', 'import (\n\t"b"\n)', ["a"]),
    ("nginx", "s {\n  listen 80;\n  listen 443 ssl;\n}", "s {\n  listen 443;\n}", ["listen"]),
    ("xml", "<a><b>1</b><c>2</c></a>", "<a><c>3</c></a>", ["<b>"]),
    ("html", "<div><p>a</p><p>b</p></div>", "<div><p>a</p></div>", []),
    ("html", "<head><title>a</title></head>", "<head></head>", ["<title>"]),
    # under another key
    ("java", "class A {\n  int f() {\n    a();\n    b();\n    return 1;\n  }\n}", "class A {\n  int g() {\n    a();\n    b();\n    return 1;\n  }\n}", []),
    ("css", ".a, .b { c: d; e: f }", ".a, .b, .g { c: d; e: f }", []),
    ("yaml", "a:\n  b: 1\n  c: 2\n", "a:\n  c: 2\nb: 1\n", ["b"]),  # in another container
]  # fmt: skip


@pytest.mark.parametrize(("language", "before", "after", "lost"), LOST)
def test_a_text_has_lost_what_it_does_not_have_in_the_same_container(language, before, after, lost):
    assert [member.key for member in lost_members(before, after, language)] == lost
    assert lost_members(before, before, language) == []


@pytest.mark.parametrize(
    ("language", "theirs", "ours", "numbers"),
    [
        ("json", '{"a": 1, "b": 2}', '{"b": 3, "c": 4, "a": 1}', [1, None, 0]),
        # repeated: by what is equal, by the words that both begin with, by what they hold
        ("nginx", "s {\n  a b 1;\n  a c 2;\n}", "s {\n  a c 3;\n  a d 4;\n}", [1, None]),
        ("kotlin", 'd {\n  api("g.h:i:1")\n  api("g.h:j:1")\n}', 'd {\n  api("g.h:j:2")\n  api("g.h:k:1")\n}', [1, None]),
        ("nginx", "s {\n  l {\n    a 1;\n    b 2;\n  }\n  l {\n    c 3;\n  }\n}", "s {\n  l {\n    c 4;\n  }\n}", [1]),
        ("xml", '<a><b key="c">1</b><b key="d">2</b></a>', '<a><b key="d">3</b><b key="e">4</b></a>', [1, None]),
        ("xml", "<a><b>1</b><c>1</c></a>", "<a><c>2</c></a>", [1]),
    ],
)  # fmt: skip
def test_members_are_told_apart_by_what_they_hold(language, theirs, ours, numbers):
    first, second = members_of(theirs, language), members_of(ours, language)
    while len(first.members) == 1:
        first, second = first.members[0].inner, second.members[0].inner
    assert match_members(first.members, second.members, (theirs, ours)) == numbers


def test_blanks_and_last_separators_are_no_difference():
    assert is_same("{a: 1,\n b: 2}", "{ a: 1, b: 2, }")
    assert not is_same('"a b"', '"a  b"')
    assert not is_same("a b", "ab")


@pytest.mark.parametrize("seed", range(5))
def test_no_text_is_an_error(seed):
    draw = random.Random(seed)
    languages = [language for language, _, _ in TEXTS]
    for _ in range(150):
        language, text, _ = draw.choice(TEXTS)
        rows = list(text)
        for _ in range(draw.randrange(1, 8)):
            at = draw.randrange(len(rows) + 1)
            rows[at : at + draw.randrange(3)] = draw.choice(
                ["", *"{}[]()<>\"'`:=,;\n\t #/*-@", "é", "\0"]
            )
        broken = "".join(rows)
        for name in (language, draw.choice(languages)):
            found = members_of(broken, name)
            if found is not None:
                lost_members(broken, text, name)
                lost_members(text, broken, name)
