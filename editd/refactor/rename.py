"""Renames a variable, function, class, attribute or key wherever it is this file's name.

What another module, another object or another function calls so stays (``syntax.imported_names``,
``syntax.python_names``). Sorted in here is what becomes of each mention, and whether the words leave no doubt.

cart.py, "rename total to amount"::

    import report
    total = 0
    report.total = total  # total so far

becomes::

    import report
    amount = 0
    report.total = amount  # total so far

cart.ts, "rename the function load to fetchAll"::

    import { read as load2 } from "./files";

    export function load(path: string) {
      return load2(path);
    }

becomes::

    import { read as load2 } from "./files";

    export function fetchAll(path: string) {
      return load2(path);
    }
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace

from editd.diff.matching import changes
from editd.intent import Parsed
from editd.intent.intents import Rename, ReplaceWord
from editd.refactor.built_names import TITLE, texts_building
from editd.refactor.candidates import Candidates, Spans, mentions_by_kind, mentions_in, with_spans
from editd.refactor.entries import entries_of
from editd.refactor.inherited import assumptions_of, is_anothers
from editd.refactor.name_clashes import is_free_in_python, why_name_is_taken, why_name_is_unfit
from editd.refactor.namesakes import names_all, others_than_meant, others_than_member
from editd.refactor.replace_text import replace_only_in
from editd.refactor.replace_word import replace_word
from editd.refactor.set_value import DATA
from editd.refactor.uses import NAMES, RenameScope, Uses, uses_of
from editd.syntax.class_members import (
    ITSELF,
    is_member,
    is_of_struct,
    may_be_anothers,
    of_one_class,
    variants_of,
)
from editd.syntax.code import Code
from editd.syntax.data_keys import data_keys, describes_data
from editd.syntax.language import PROSE
from editd.syntax.lines import line_starts, split
from editd.syntax.places import Place, holds, place_of
from editd.syntax.python_names import in_strings, is_builtin
from editd.syntax.python_parameters import is_given_by_name
from editd.syntax.python_scopes import binds
from editd.syntax.scanning import SIGNED, name_pattern, with_sigil
from editd.syntax.scopes import is_declared, is_own
from editd.syntax.tokens import Token
from editd.syntax.words import as_word

_HARDLY_ENGLISH = re.compile(r"[_\d]|[a-z][A-Z]|^[B-HJ-Z]$")
_NAMING = re.compile(r"\b(?:re)?nam(?:e|ed|ing)\b|\brelabel|\bkeys?\b|\bcall", re.IGNORECASE)
_OF_KINDS = re.compile(
    r"\b(?:variable|function|method|class|parameter|attribute|constant|argument|field|fn|def)s?\b",
    re.IGNORECASE,
)
_NO_NAMES = ("better", "nicer", "shorter", "clearer", "something", "differently", "properly")
"""Words that say how a name should be: "call it better"."""
_OF_CLASSES = ("method", "attribute", "field", "property", "member")


_NESTED = ("json", "jsonc", "yaml")
_QUOTES = 5  # the most signs before a string's text: a prefix of two and three quotes


def rename(
    intent: Rename,
    parsed: Parsed,
    code: Code,
    *,
    cursor: int | None = None,
    selected: tuple[int, int] | None = None,
    is_of_all: bool = False,
) -> Candidates | None:
    """The candidates with the new name, from the usual one (mentions of this file's name) to every mention; with a
    ``problem`` if the new name is taken or none of the language, or if several things of the file have the old one and
    nothing says which is meant (``namesakes``). Every mention, uncertain, where tokens are unknown.

    The text itself, certain and with ``missing_name``, if it has no such name, or no such owner, in any case of
    letters; uncertain if only a longer word has it. ``None`` if the class or definition that the name is said to be of
    is not there, or has no such member; in data files if the words do not speak of naming, a list has it as an element,
    several depths have it as a key, or it is a title ("the project"); if the intent names or counts places and not just these would change. If the
    intent names comments or strings, the word is replaced in these alone; in prose everywhere, unless the words speak
    of naming.
    """
    if intent.new.lower() in _NO_NAMES and not re.search(rf"[`'\"]{intent.new}[`'\"]", parsed.text):
        return None
    if intent.places or intent.count:
        found = rename(replace(intent, places=(), count=0), parsed, code, is_of_all=True)
        return found if found and _is_in_all(intent, found, code) else None
    text, language = code.text, code.language
    old, new = intent.old, intent.new
    if intent.only not in ("", "code"):
        return replace_only_in(intent.only, as_word(old), new, code)
    if language in PROSE and not _NAMING.search(parsed.text):
        return replace_word(ReplaceWord(old, new), code)
    if language in DATA and not _NAMING.search(parsed.text):
        return None  # the value is meant, not the key
    has_owner = re.search(rf"(?<!\w){re.escape(intent.owner)}(?!\w)", text, re.IGNORECASE)
    absent = [] if has_owner else [intent.owner]
    absent += [] if old.casefold() in text.casefold() else [old]
    if absent and intent.owner not in ITSELF:
        return Candidates((text,), is_certain=True, missing_name=absent[0])
    if language in DATA and (_is_an_item(old, text) or _is_title(old, parsed.text)):
        return None  # a list names the same thing, or what the file is about
    if language in _NESTED and not names_all(parsed.text) and _is_at_several_depths(old, code):
        return None
    scope = _scope_of(intent, code)
    if scope is None or (scope.place and intent.location and not scope.members):
        member = _scope_of_member(intent, code)
        if member is not None:
            intent, scope, is_of_all = replace(intent, owner="", location=""), member, True
    if scope is None:
        return None
    everywhere = as_word(old).sub(lambda _: new, text)
    if everywhere == text:  # what only resembles it may be meant
        return Candidates((text,))
    if code.tokens is None:
        return Candidates((everywhere,))
    if code.language in SIGNED and old not in (signed := with_sigil(old, code.tokens)):
        return Candidates((everywhere,))
    if code.language in SIGNED and signed != old:
        sign = signed.removesuffix(old)
        signed_intent = replace(intent, old=signed, new=sign + new)
        return rename(signed_intent, parsed, code, cursor=cursor, selected=selected)
    if is_of_all:
        return _candidates(intent, parsed, code, scope)
    others, problem = others_than_meant(intent, parsed.text, code, cursor, selected)
    if problem:
        return Candidates((text,), problem=problem, asks_which=True)
    if others.home and not intent.location and place_of(others.home, text, language):
        intent = replace(intent, location=others.home)
        scope = _scope_of(intent, code) or scope
    return _candidates(intent, parsed, code, replace(scope, others=others))


def _is_in_all(intent: Rename, found: Candidates, code: Code) -> bool:
    """Whether the first candidate changes a line in each of the definitions ``intent.places``, of each of which there
    is one, or in as many outermost definitions as ``intent.count`` says (-1: any number), and none elsewhere.
    """
    lines = [
        number
        for change in changes(code.lines, split(found.texts[0]))
        for number in range(change.old_start, change.old_end)
    ]
    if intent.places:
        places = [place_of(name, code.text, code.language) for name in intent.places]
        ranges = {(x.start, x.end) for x in places if x is not None}
        is_right = len(ranges) == len(intent.places)
    else:
        blocks = [x for x in code.definitions if x.is_block]
        blocks = [x for x in blocks if not any(y != x and holds(x, y) for y in blocks)]
        ranges = {(x.start, x.end) for x in blocks for n in lines if x.start <= n < x.end}
        is_right = intent.count in (-1, len(ranges))
    in_each = all(any(start <= n < end for n in lines) for start, end in ranges)
    return is_right and in_each and all(any(a <= n < b for a, b in ranges) for n in lines)


def _is_an_item(name: str, text: str) -> bool:
    """Whether a list of YAML, JSON or TOML has a name as an element, or as the first part of one behind a dash, or another key of
    YAML as its value.
    """
    name = re.escape(name)
    item = rf"^\s*(?:- |(?!{name}:)[\w-]+: (?=\S+\s*$))[\"']?{name}(?![\w-])(?!\S*:\s)|[\[,]\s*([\"']){name}\1\s*(?=[,\]])"
    return re.search(item, text, re.MULTILINE) is not None


def _is_at_several_depths(name: str, code: Code) -> bool:
    """Whether JSON or YAML has a key at several depths, which are hardly the same."""
    return len({len(x.path) for x in entries_of(code) if x.name == name}) > 1


def _is_title(name: str, instruction: str) -> bool:
    """Whether the words call something "the name" without saying what kind of thing that is: "rename the project"."""
    return (
        re.search(rf"\bthe {re.escape(name)} (?:to|as|into)\b", instruction, re.IGNORECASE)
        is not None
    )


def _candidates(intent: Rename, parsed: Parsed, code: Code, scope: RenameScope) -> Candidates:
    """The new texts, from the usual one (names, and comments where those are meant) to every mention in the scope;
    certain if the text has such names and nothing leaves a doubt.

    Kinds of mentions that stay are named as left alone, and ``wider`` is the text with these changed, too, but for texts
    of which names are built; a
    ``problem`` is a new name that is taken or none of the language.
    """
    text, language, old, new = code.text, code.language, intent.old, intent.new
    uses = uses_of(old, code, scope)
    by_kind = _spans_by_kind(intent, code, scope, uses)
    # "sum" in a comment is an English word, "max_size" is that name.
    in_comments = parsed.includes_comments or bool(_HARDLY_ENGLISH.search(old))
    in_comments = in_comments and not intent.only
    names, of_modules = by_kind.names, _spans(uses.of_modules, new)
    in_prose, others = by_kind.in_prose, _spans(uses.others, new)
    of_data = [span for _, spans in by_kind.data for span in spans]
    of_program = [span for span in in_prose if span not in of_data]
    stays = mentions_by_kind(
        text,
        ("names that other modules give", of_modules),
        *by_kind.data,
        ("comments", [] if in_comments else of_program),
        ("strings", [span for span in by_kind.strings if span not in of_data]),
        ("keywords of other calls", _spans(uses.keywords, new)),
        ("members of other objects", _spans(uses.members, new)),
        ("members of other classes", _spans(uses.rest, new)),
        ("other things of that name", _spans(uses.apart, new)),
    )
    wider = (
        with_spans(text, names + of_modules + in_prose + by_kind.strings + others)
        if stays
        else None
    )
    built = [] if scope.place else texts_building(old, code)
    stays += mentions_by_kind(text, (TITLE, built))
    usual, wide = names + by_kind.aliases, names + of_modules
    shorthand = [token for token in uses.members if token.of == "shorthand"]
    texts = (
        with_spans(text, usual + (of_program if in_comments else [])),
        with_spans(text, usual),
        with_spans(text, wide + _spans(shorthand, new)),
        with_spans(text, wide + others),
        with_spans(text, wide + in_prose),
        with_spans(text, wide + in_prose + others),
        *(() if scope.place else (as_word(old).sub(lambda _: new, text),)),
    )
    problem = ""
    if usual:
        problem = why_name_is_unfit(intent, text, texts[1], language) or why_name_is_taken(
            intent, uses.tokens, code.python, text, language, scope.place
        )
    return Candidates(
        tuple(dict.fromkeys(texts)),
        bool(usual) and not problem and _is_certain(intent, parsed, code, scope, uses),
        stays,
        wider,
        assumptions=() if scope.place else assumptions_of(old, code),
        problem=problem,
    )


def is_name(old: str, code: Code) -> bool:
    """Whether the text gives something the name ``old``, and no string, comment or docstring
    mentions it; ``False`` where the text does not parse or no parser is installed.
    """
    text, language = code.text, code.language
    texts = code.tokens_of("string", "comment", "docstring")
    if code.parsed_tokens is None or mentions_in(texts, old, ""):
        return False
    if any(definition.name == old for definition in code.definitions):
        return True
    if code.python:
        return binds(old, code.python)
    return is_declared(old, text, language)


def may_be_renamed(intent: Rename, parsed: Parsed, code: Code) -> bool:
    """Whether the words speak of a name, or the old one can hardly be English or is a name of the text and nothing else."""
    speaks_of_names = _NAMING.search(parsed.text) or _OF_KINDS.search(parsed.text)
    return bool(speaks_of_names or _HARDLY_ENGLISH.search(intent.old)) or is_name(intent.old, code)


# Where it is looked for


def _scope_of(intent: Rename, code: Code) -> RenameScope | None:
    """The scope of the rename: the definition at the intent's location, a class's members, a variant of the only Rust
    enum that has the name, or the text. ``None`` if the
    definition or the class is not there, has no such member, or the intent has a location and tokens are unknown.
    """
    is_asked = intent.location and code.tokens
    place = place_of(intent.location, code.text, code.language) if is_asked else None
    if intent.location and place is None:
        return None
    is_of_class = intent.kind in _OF_CLASSES or (place and _is_member_alone(intent, place, code))
    if not intent.owner and not intent.location and code.language == "rust":
        variants = variants_of(intent.old, code.tokens or (), code.text)
        if variants:
            return RenameScope(members=variants)
    if not intent.owner and not (place and is_of_class):
        return RenameScope(place, _called_in(place, code) if place else frozenset())
    owner = intent.owner or intent.location
    members = of_one_class(intent.old, owner, code.tokens or (), code.text, code.language)
    return None if members is None else RenameScope(members=members)


def _scope_of_member(intent: Rename, code: Code) -> RenameScope | None:
    """The scope of the rename of a member of a class that is named; ``None`` if no class is called so and has such a
    member, or no other thing has that name.
    """
    others = others_than_member(intent.owner or intent.location, intent.old, code)
    return None if others is None else RenameScope(others=others)


def _is_member_alone(intent: Rename, place: Place, code: Code) -> bool:
    """Whether every mention of the name in the class ``place`` is a member of its objects, or stands in a member's
    definition; ``False`` if there is no mention, or ``place`` holds no definitions.
    """
    lines = split(code.text)
    defined = [definition for definition in code.definitions if definition.owner == place.name]
    inside = [
        token
        for token in code.tokens or ()
        if token.text == intent.old
        and token.kind in NAMES
        and place.first <= token.start < place.last
    ]
    starts = line_starts(lines)
    heads = [
        (starts[definition.start], starts[definition.end])
        for definition in defined
        if definition.name == intent.old
    ]
    return bool(inside and defined) and all(
        token.of in ITSELF
        or token.of == "declared"
        or (token.kind == "name" and any(a <= token.start < b for a, b in heads))
        for token in inside
    )


def _called_in(place: Place, code: Code) -> frozenset[str]:
    """The names of the definitions that lie in the place as a whole, and, for Python's ``__init__`` and ``__new__``,
    those of their classes as well.
    """
    inside = [
        definition
        for definition in code.definitions
        if place.start <= definition.start and definition.end <= place.end
    ]
    names = {definition.name for definition in inside}
    return frozenset(
        names
        | {definition.owner for definition in inside if definition.name in ("__init__", "__new__")}
    )


# What becomes of each mention


@dataclass(frozen=True, slots=True)
class _SpansByKind:
    """The spans that a rename may write, by the kind of the mention.

    names: where it stands as a name, in a string or not. aliases: what keeps another module's name in addition to it.
    in_prose: mentions in comments and docstrings. strings: mentions in strings. data: those of both that are about data
    of that name, by the data's title.
    """

    names: Spans
    aliases: Spans
    in_prose: Spans
    strings: Spans
    data: list[tuple[str, Spans]]


def _spans_by_kind(intent: Rename, code: Code, scope: RenameScope, uses: Uses) -> _SpansByKind:
    """The spans of the new name for each kind of mention, with aliases (``as``, ``key: value``)
    where the old name must stay, too. No span is in two kinds.
    """
    old, new = intent.old, intent.new
    # What asks for a name under that name does so under another: "as", and "key: value" for both in one.
    aliases = [
        (t.end, t.end, f" as {new}") for t in uses.of_modules if t.start in uses.imports.unnamed
    ]
    aliases += [(t.end, t.end, f": {new}") for t in uses.members if t.of == "shorthand"]
    aliases += [(end, end, f" as {old}") for end in sorted(uses.imports.exported)]
    quoted = [t for t in uses.tokens if t.kind == "string"]
    names = _spans(uses.names, new)
    if code.python:
        listed = in_strings(old, quoted, code.python)
        names += [(a, b, new) for a, b in listed if not scope.others.holds(a)]
    done = {*names, *_spans(uses.others, new)}  # a field of a string is both
    written = [t for t in uses.tokens if t.kind in ("comment", "docstring")]
    in_prose = [span for span in mentions_in(written, old, new) if span not in done]
    strings = [span for span in mentions_in(quoted, old, new) if span not in done]
    in_prose = [span for span in in_prose if not scope.others.holds(span[0])]
    return _SpansByKind(
        names, aliases, in_prose, strings, _about_data(old, code, in_prose, strings)
    )


def _about_data(old: str, code: Code, in_prose: Spans, strings: Spans) -> list[tuple[str, Spans]]:
    """For each kind of data that the text calls ``old`` (as a key): its title, and the mentions in strings that are its
    name; for the first kind also the mentions in comments that describe data of any of these kinds. Empty if no data is
    called so.

    in_prose, strings: all mentions there.
    """
    keys = data_keys(old, code.python)
    written = code.tokens_of("comment", "docstring") if keys else []
    described = [
        span
        for span in in_prose
        for token in written
        if token.start <= span[0] < token.end and describes_data(token.start, token.end, keys, code)
    ]
    found: list[tuple[str, Spans]] = []
    for key in keys:
        named = [
            span for span in strings for start in key.starts if 0 <= span[0] - start <= _QUOTES
        ]
        found.append((key.title, named + ([] if found else described)))
    return found


def _spans(tokens: Collection[Token], new: str) -> Spans:
    """A span with the text ``new`` for each token."""
    return [(token.start, token.end, new) for token in tokens]


def _is_certain(intent: Rename, parsed: Parsed, code: Code, scope: RenameScope, uses: Uses) -> bool:
    """Whether the mentions that are meant can be nothing else, and nothing else has the new name. ``False`` if a name
    is none of the language; if the old one is a builtin, may be a member of lists, strings or other objects, is shared
    with what is outside the scope, is a parameter that callers give by name, overrides what is not in the text, or is imported in a doubtful way; for a
    name of a module, unless the words speak of naming; or if the scope has a name, or for a member a member, that is
    called like the new one.
    """
    old, new, text, language = intent.old, intent.new, code.text, code.language
    are_names = all(re.fullmatch(name_pattern(language), name) for name in (old, new))
    if not are_names or uses.imports.is_unsure:
        return False
    if code.python and not scope.members and is_builtin(old, code.python):
        return False
    if uses.of_modules and not _NAMING.search(parsed.text):
        return False  # "use B instead of A" means another thing of the module
    if is_anothers(old, code):
        return False
    if code.python and is_given_by_name(old, code.python, scope.place):
        return False
    if uses.is_member and may_be_anothers(old, uses.found, text, language):
        return False
    is_told_apart = bool(scope.others.starts)
    if (
        scope.place
        and not is_told_apart
        and not is_own(
            old, scope.place, code.tokens or (), text, language, is_member=uses.is_member
        )
    ):
        return False
    taken = [t for t in uses.tokens if t.text == new]
    is_elsewhere = code.python and is_free_in_python(old, new, code.python, scope.place)
    if not (scope.members or is_elsewhere) and any(t.kind == "name" for t in taken):
        return False
    if not uses.is_member:
        return True
    keys = [t for t in uses.names if t.kind == "key"]
    return not is_member(new, taken, text, language) and all(
        is_of_struct(t.of, uses.names, text, language) for t in keys
    )
