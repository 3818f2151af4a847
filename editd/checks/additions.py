"""Whether an answer adds or removes the kind of code that the words name, where they name it, and nothing else.

Where an instruction says of what kind something is, and where ("document X", "log each call of X", "drop the prints"), how
it is written is the model's business; where it belongs is not. Both texts are held beside each other in their language's
syntax. What stands elsewhere than the words say, in a half of what they name or under another name, is missing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from editd.checks.requests import Request, request_of
from editd.diff.document import Document
from editd.diff.edits import apply
from editd.diff.hunk import Hunk
from editd.syntax.code import Code, read_code
from editd.syntax.constructs import ConstructKind, Constructs
from editd.syntax.python_constructs import PythonConstructs, normalised
from editd.turns import yield_point

_MOST_HUNKS = 12  # that are looked at one by one
_IN_DEFINITIONS: frozenset[ConstructKind] = frozenset(["docstring", "log", "try", "type"])
_REMOVABLE: frozenset[ConstructKind] = frozenset(["print", "comment", "docstring", "log"])
_TITLES: dict[ConstructKind, str] = {
    "docstring": "a docstring",
    "log": "a logging call",
    "try": "a “try”",
    "type": "a type",
    "import": "an import",
    "f-string": "f-strings",
}
_PLURALS: dict[ConstructKind, str] = {
    "print": "the prints",
    "comment": "the comments",
    "docstring": "the docstrings",
    "log": "the logging calls",
}


@dataclass(frozen=True, slots=True)
class Addition:
    """An answer to a request for a kind of code.

    missing: in words, what the request asks for and the answer lacks; empty if nothing. line: of the definition that
    lacks it, -1 if no definition does. more: ids of hunks that change what no word names. is_plain: as in ``Request``.
    """

    missing: str = ""
    line: int = -1
    more: frozenset[int] = frozenset()
    is_plain: bool = True


def added(
    document: Document, hunks: Sequence[Hunk], instruction: str, language: str
) -> Addition | None:
    """Compare an answer (``hunks``) with the kinds of code (docstring, log call, import …) that the instruction names:
    the first thing that it lacks, and the hunks that change something else.

    ``None`` if the instruction names no kind, a text does not parse or has no parser, the answer changed a statement in
    whose middle the buffer stops, or, for kinds that belong in a definition, it names none of the buffer's definitions.
    """
    request = request_of(instruction)
    if not request.kinds:
        return None
    comparing = _Comparing.of(document, hunks, request, language)
    if comparing is None:
        return None
    missing, line = next(comparing.missing(), ("", -1))
    return Addition(missing, line, comparing.more(), request.is_plain)


@dataclass(frozen=True, slots=True)
class _Comparing:
    """The constructs of the old and the new text, and the request."""

    document: Document
    hunks: Sequence[Hunk]
    request: Request
    language: str
    old: Constructs
    new: Constructs

    @classmethod
    def of(
        cls, document: Document, hunks: Sequence[Hunk], request: Request, language: str
    ) -> _Comparing | None:
        """The comparison; ``None`` if the old or new text does not parse or has no parser, or if the request only adds
        kinds that belong in definitions, not in every one, and names none of the buffer's. A text that stops in the
        middle of a statement is compared without that; ``None`` if the new one changed it.
        """
        before, after = document.model_text, _text(document, hunks)
        cut = read_code(before, language).cut
        if cut is not None:
            end = cut.without_end(after)
            if end is None:
                return None
            before, after = cut.closed, end
        old, new = read_code(before, language).constructs, read_code(after, language).constructs
        if old is None or new is None:
            return None
        found = cls(document, hunks, request, language, old, new)
        is_global = request.is_removal or request.is_every or not request.kinds <= _IN_DEFINITIONS
        return (
            found if is_global or (old.definitions_named(request.names) and request.names) else None
        )

    def missing(self) -> Iterator[tuple[str, int]]:
        """Yield in words each thing that the request asks for and the answer lacks, with the 0-based line of the
        definition in the old text (for misplaced code in the new one), or -1; nothing if nothing is missing.

        Missing are quoted texts that neither text has, imports, and a kind of code in a named definition in which none
        of the kinds changed. Of a removal only what is left is looked for; of f-strings only whether fewer texts to
        convert are left than before, or none if all are asked for.
        """
        request, old, new = self.request, self.old, self.new
        for text in request.quoted:
            if text not in new.text and text not in old.text and not request.is_removal:
                yield f"“{text}”", -1
        if request.is_removal:
            yield from self._kinds_left()
            return
        kinds = [kind for kind in _TITLES if kind in request.kinds]
        if kinds == ["f-string"]:
            if len(new.texts_of("f-string")) >= len(old.texts_of("f-string")) > 0:
                yield "f-strings", -1
            elif request.is_every and (left := new.texts_of("f-string")):
                yield f"f-strings, also for `{left[0]}`", -1
            return
        if "import" in kinds:
            yield from self._not_imported()
        kinds = [kind for kind in kinds if kind in _IN_DEFINITIONS]
        named = old.definitions_named(request.names) if request.names else {}
        if not kinds or not named:
            return
        for path, definitions in named.items():
            later = new.definitions_named([path.rpartition(".")[2]]).get(path, [])
            if all(old.texts_of(k, definitions) == new.texts_of(k, later) for k in kinds):
                name = path.rpartition(".")[2]
                yield f"{_TITLES[kinds[0]]} for “{name}”", old.line_of(definitions[0])
        if isinstance(new, PythonConstructs):
            yield from self._misplaced(new, kinds)

    def more(self) -> frozenset[int]:
        """Ids of the hunks that change something else than the kinds of the request when applied alone; of all hunks if
        only several together do, or there is one hunk or more than twelve; empty if nothing else changes.
        """
        before = self._rest(self.old)
        if not self._differs(self.new, before):
            return frozenset()
        found = set()
        cut = read_code(self.document.model_text, self.language).cut
        for hunk in self.hunks if 1 < len(self.hunks) <= _MOST_HUNKS else ():
            text: str | None = _text(self.document, [hunk])
            text = text if cut is None or text is None else cut.without_end(text)
            code = None if text is None else Code(text, self.language).constructs
            if code is not None and self._differs(code, before):
                found.add(hunk.id)
        return frozenset(found or {hunk.id for hunk in self.hunks})

    def _rest(self, code: Constructs) -> str:
        """The text without imports and without the kinds of the request, these in the definitions that it names, or
        everywhere if it names none; to be compared with another. Calls ``yield_point``.
        """
        request = self.request
        yield_point()
        return code.without(request.kinds, request.names, is_result=request.is_result)

    def _differs(self, new: Constructs, before: str) -> bool:
        """Whether ``new`` differs in more than the kinds of the request: in its other text, by a lost import (unless
        the request is about imports), or by a lost comment (unless about comments or docstrings). before: ``_rest`` of
        the old text.
        """
        request, old = self.request, self.old
        if self._rest(new) != before:
            return True
        if "import" not in request.kinds and Counter(old.texts_of("import")) - Counter(
            new.texts_of("import")
        ):
            return True
        # A comment that became a docstring was moved.
        is_about_comments = not request.kinds.isdisjoint(["comment", "docstring"])
        return not is_about_comments and bool(Counter(old.comments) - Counter(new.comments))

    def _kinds_left(self) -> Iterator[tuple[str, int]]:
        """Yield in words, each with -1 for "no line", the removable kinds that the request removes and the old text
        has, and of which the answer has as many or more.

        If all are to go (``is_every``), a kind is also yielded as long as the answer has one that no tool reads.
        """
        for kind in self.request.kinds & _REMOVABLE:
            before, after = self.old.texts_of(kind), self.new.texts_of(kind)
            if before and len(after) >= len(before):
                yield f"{_PLURALS[kind]} to go", -1
            elif self.request.is_every and after and any(map(_is_deletable, after)):
                yield f"all {_PLURALS[kind]} to go", -1

    def _not_imported(self) -> Iterator[tuple[str, int]]:
        """Yield in words, with -1 for "no line", each name whose import the request asks for and the answer lacks; also "an
        import" if the answer's imports are the old text's.
        """
        imports = " ".join(self.new.texts_of("import"))
        named = {name for pair in self.request.sources for name in pair}
        unknown = [
            value
            for value in (*self.request.values, *sorted(named))
            if re.fullmatch(r"[\w.]+", value)
            and (value in named or not re.search(rf"\b{re.escape(value)}\b", self.old.text))
        ]
        for name in unknown:
            if not re.search(rf"\b{re.escape(name)}\b", imports):
                yield f"an import of “{name}”", -1
        if Counter(self.new.texts_of("import")) == Counter(self.old.texts_of("import")):
            yield "an import", -1

    def _misplaced(
        self, new: PythonConstructs, kinds: Sequence[ConstructKind]
    ) -> Iterator[tuple[str, int]]:
        """Yield in words each log call or ``try`` in the functions named that is otherwise than the request says
        (level, branch, result of the handler, reach), with the function's line in the new text. kinds: of the request.
        """
        for function in new.functions_named(self.request.names):
            line, name = new.line_of(function), function.name
            if "log" in kinds:
                known = Counter(self.old.texts_of("log"))
                fresh = [call for call in new.log_calls(function) if not known[call.text]]
                level = self.request.level
                if level and fresh and not any(f".{level}(" in call.text for call in fresh):
                    yield f"a logging call of level “{level}” for “{name}”", line
                is_reached = any(call.is_always_reached for call in fresh)
                if self.request.is_every_call and fresh and not is_reached:
                    yield f"a logging call that each call of “{name}” reaches", line
            if "try" in kinds:
                returned = new.handler_results(function)
                for value in self.request.results if returned is not None else ():
                    if normalised(value) not in (returned or ()):
                        yield f"a handler in “{name}” that returns `{value}`", line
                raising = new.raising_outside_try(function)
                if raising is not None and any(self.request.is_whole or x for x in raising):
                    yield f"a “try” around the whole body of “{name}”", line


def _text(document: Document, hunks: Sequence[Hunk]) -> str:
    """The text that hunks make of a document."""
    return Document.of(apply(hunks, document.text, document)).model_text


def _is_deletable(thing: str) -> bool:
    """Whether a comment, docstring or call is none that tools read: those may stay."""
    return not re.match(
        r"#!|.*(?:noqa|type:|pragma|pylint|coding[:=]|eslint|prettier|@ts-|fmt:|mypy)", thing
    )
