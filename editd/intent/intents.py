"""Intents: what a request can ask for that takes no model to understand, one class for each kind of edit.

``rules`` makes them of words; ``refactor`` does what they say.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from editd.intent.description import Description
from editd.intent.target import TargetDescription


class Intent:
    """An edit that is asked for."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Open(Intent):
    """No intent that words alone decide: the request takes understanding, or asks for several things."""


@dataclass(frozen=True, slots=True)
class Located(Intent):
    """An edit that can be limited to one definition, ``location``; empty for the whole buffer."""

    location: str = field(default="", kw_only=True)


@dataclass(frozen=True, slots=True)
class Selective(Located):
    """An edit that can be limited to one kind of text; only: ``comments``, ``docstrings``, ``strings``, ``code``, or empty."""

    only: str = field(default="", kw_only=True)


@dataclass(frozen=True, slots=True)
class Within(Intent):
    """A guess that can be limited to what the buffer calls ``within``: a definition, section, selector or key."""

    within: str = field(default="", kw_only=True)


@dataclass(frozen=True, slots=True)
class SomePlaces(Intent):
    """Of the places that ``intent`` would change, those that words describe.

    words: each of which the code at such a place has, or quoted texts. choosing: words that choose among these, if some places have
    them and others not. count: of the places; 0 where the words leave it open. leaves_some: there are others, which stay. spared: words
    of each thing that stays, where it is described. hints: words of a reason, which choose a single place where ``words`` choose none.
    """

    intent: Intent
    words: tuple[str, ...] = ()
    choosing: tuple[str, ...] = ()
    count: int = 0
    leaves_some: bool = False
    spared: tuple[tuple[str, ...], ...] = ()
    hints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Several(Intent):
    """Edits of one kind, each of the text that the one before it left: all of them, or none."""

    intents: tuple[Intent, ...]


@dataclass(frozen=True, slots=True)
class DeleteCode(Within):
    """The lines that ``described`` means go."""

    described: Description


@dataclass(frozen=True, slots=True)
class CommentOutCode(Within):
    """The lines that ``described`` means become comments.

    is_terse: the words only say "comment", which in a program may ask for an explanation.
    """

    described: Description
    is_terse: bool = False


@dataclass(frozen=True, slots=True)
class EditTarget(Intent):
    """The thing that ``target`` describes goes (action ``delete``), becomes a comment (``comment``), or code again
    (``uncomment``).

    says_comment: the words speak of comments, so that nothing but a comment can become code again. is_implied: they only say that the
    thing is needless, so that nothing may use it.
    """

    action: str
    target: TargetDescription
    says_comment: bool = False
    is_implied: bool = False


@dataclass(frozen=True, slots=True)
class SetSetting(Within):
    """The setting that is described by ``name`` gets the value ``new``.

    is_quoted: the value stood in quotes. is_default: a default is spoken of, so that a parameter may be meant.
    was: the value that it is said to have; empty if none is.
    """

    name: str
    new: str
    is_quoted: bool = False
    is_default: bool = False
    was: str = ""


@dataclass(frozen=True, slots=True)
class SetDescribed(Intent):
    """The one literal that all of ``words`` name, by itself or by what it stands in, becomes ``new``.

    new: empty where, of a default, it is the word that names nothing. is_bare: it is a word that may be English. optional: words that may be names, too, and need not be. was: the
    value that it is said to have; empty if none is. unit: of time, as ``ms``. is_quoted: the value stood in quotes.
    is_default: a parameter's default is meant; by_default: what a function does "by default", so that a word may name it.
    """

    words: tuple[str, ...]
    new: str
    optional: tuple[str, ...] = ()
    was: str = ""
    unit: str = ""
    is_quoted: bool = False
    is_default: bool = False
    by_default: bool = False
    is_bare: bool = False


@dataclass(frozen=True, slots=True)
class SetByWords(Intent):
    """The one value that the words of a request are about becomes ``new``.

    needed: words of the clause with the new value, each of which has to name the value or what it stands in. words: all words of
    the request, as they are written. unit: of time, as ``ms``, or of anything else as it is written; empty for none. was: other
    amounts that the request mentions, each with its unit, of which one may be the old value. is_quoted: ``new`` stood in quotes.
    is_word: it is a word that may be English. count: of values that are meant; -1 for any number. text: the request.
    """

    new: str
    needed: tuple[str, ...]
    words: tuple[str, ...]
    unit: str = ""
    was: tuple[tuple[str, str], ...] = ()
    is_quoted: bool = False
    is_word: bool = False
    count: int = 1
    text: str = ""


@dataclass(frozen=True, slots=True)
class ExchangeText(Intent):
    """The text ``old`` of strings, comments or values becomes ``new``.

    words: each of which fits the place, or what the file is about. only: ``comments``, ``docstrings`` or ``strings``; empty for any. is_of_all:
    all places are meant, also of a plain word. is_written: the request has both as they are written, in quotes or with an arrow.
    """

    old: str
    new: str
    words: tuple[str, ...] = ()
    only: str = ""
    is_of_all: bool = False
    is_written: bool = False


@dataclass(frozen=True, slots=True)
class RenameSelector(Intent):
    """The class, id or custom property ``old`` of a style sheet is called ``new``, both with their sign (``.card``, ``--gap``)."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class ReplacePart(Intent):
    """The text ``old``, which stands ``count`` times in values and strings and nowhere else, becomes ``new`` there."""

    old: str
    new: str
    count: int = 1


class PythonOnly(Intent):
    """An edit that is known in Python alone."""

    __slots__ = ()


class Chore(Located):
    """An edit of all places of one kind, which takes no more words."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Rename(Selective):
    """A name becomes another wherever it stands.

    owner: the class or module that it is said to be of. kind: what it is said to name, such as ``function``. places: the
    definitions that have it, of several; count: how many have it, -1 for any number. 0 and none if nothing is said.
    """

    old: str
    new: str
    owner: str = ""
    kind: str = ""
    places: tuple[str, ...] = ()
    count: int = 0


@dataclass(frozen=True, slots=True)
class ReplaceText(Selective):
    """A text becomes another; is_of_one: the request says more about it, so that one place is meant."""

    old: str
    new: str
    is_of_one: bool = False


@dataclass(frozen=True, slots=True)
class ReplaceNumber(Selective):
    """A number becomes another; is_of_one: as in ``ReplaceText`` ("the port 80")."""

    old: str
    new: str
    is_of_one: bool = False


@dataclass(frozen=True, slots=True)
class ReplaceWord(Located):
    """A word becomes another where the program has no such name: in prose, strings or comments."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class ReplaceCall(Located):
    """Calls of ``old`` become calls of ``new``, both with the module or object before them."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class ReplaceToken(Intent):
    """A token of code or data becomes another of the same shape, such as a colour, wherever it stands whole.

    is_version: the version behind the name ``old`` becomes ``new``: "-22.04" of ``ubuntu-22.04``.
    """

    old: str
    new: str
    is_version: bool = False


@dataclass(frozen=True, slots=True)
class SetValue(Located):
    """The variable, key or setting ``name`` gets the value ``new``.

    accepts_any_kind: ``new`` may be of any kind that the old value has; else both are numbers.
    """

    name: str
    new: str
    accepts_any_kind: bool = False


@dataclass(frozen=True, slots=True)
class DeleteLines(Located):
    """Lines that contain ``text`` go."""

    text: str


@dataclass(frozen=True, slots=True)
class DeleteDefinition(Intent):
    """A function, class, method or variable goes; kind, owner: as in ``Rename``.

    Without a name the only one of its kind that is ``marked`` so, by its decorators or comments ("skipped"), or the last
    of its kind in the text (is_last).
    """

    name: str
    kind: str = ""
    owner: str = ""
    marked: str = ""
    is_last: bool = False


@dataclass(frozen=True, slots=True)
class DeletePrints(Located):
    """Statements that print go; text: of the only one that has this text, empty for all. with_check: the ``if`` around each goes, too,
    and those without one stay.
    """

    text: str = ""
    with_check: bool = False


@dataclass(frozen=True, slots=True)
class DeleteComments(Located):
    """Comments go, docstrings stay.

    text: words of the only comment that is meant; empty for all. beside: code that stands before it in its line. is_code: the
    comment is code that was commented out. is_only: there is but one comment. above: a name in the line below it.
    is_documentation: it documents a definition. line: a line on which it stands, from 1; 0 for any. count: so many comments
    in ``location``, which all go; 0 if no number is said. mark: the sign with which the comments begin that go, those of
    documentation excepted; empty for all.
    """

    text: str = ""
    beside: str = ""
    is_code: bool = False
    is_only: bool = False
    above: str = ""
    is_documentation: bool = False
    line: int = 0
    count: int = 0
    mark: str = ""


@dataclass(frozen=True, slots=True)
class DeleteDocstrings(Located, PythonOnly):
    """Delete the docstrings, or that of the function or class ``name``."""

    name: str = ""


@dataclass(frozen=True, slots=True)
class AddImport(PythonOnly):
    """``module`` is imported, or ``item`` from it."""

    module: str
    item: str = ""


@dataclass(frozen=True, slots=True)
class AddImportLine(Intent):
    """An import is added as ``statement`` says in the words of a language; beside: the import behind or before which."""

    statement: str
    beside: str = ""
    is_before: bool = False


@dataclass(frozen=True, slots=True)
class ImportName(Intent):
    """``name`` is imported as the text writes its imports; module: from which, empty for the standard library's."""

    name: str
    module: str = ""


@dataclass(frozen=True, slots=True)
class ImportPlace:
    """The place of a new import. where: ``first`` or ``last`` of the imports, ``in order`` among them, ``after`` or ``before`` the one
    that has ``beside`` in it. end: the one that follows there, of "between a and b"; empty if none is said.
    """

    where: str
    beside: str = ""
    end: str = ""


@dataclass(frozen=True, slots=True)
class PlacedImport(Intent):
    """An import, as ``intent`` has it, at a place that the words give."""

    intent: Intent
    place: ImportPlace


@dataclass(frozen=True, slots=True)
class AddToImport(Intent):
    """The import from ``module`` that is there gets the names ``items``."""

    module: str
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AddDocstring(Intent):
    """A function or class gets the docstring ``text``, in other languages than Python a comment of documentation; the module
    where ``function`` is empty.
    """

    function: str
    text: str


@dataclass(frozen=True, slots=True)
class AddTypeHint(PythonOnly):
    """A parameter of a function gets a type; without ``parameter`` its result does."""

    function: str
    hint: str
    parameter: str = ""


@dataclass(frozen=True, slots=True)
class AddTypeHints(Intent):
    """Types for several names; without ``function`` for a variable, or the parameter of the only
    function that has it.

    hints: names and their types; ``->`` is the result, ``*`` the only parameter, ``*1/2`` the first of two, ``**`` all,
    ``**3`` all three.
    """

    function: str
    hints: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class AddParameter(PythonOnly):
    """A function gets a parameter; the calls of ``callee`` in its body pass it on. hint: its type; empty for none."""

    function: str
    name: str
    default: str
    callee: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class IntroduceParameter(Intent):
    """A function gets a parameter with the default ``default``; the calls of ``callee`` in its body pass it on.

    is_used: it takes the place of its default in the body. where: the call or loop in which; empty for the only place.
    hint: its type; empty for none. position: among the parameters, from 1, where that is said; else 0. stored_with: names of the object or
    dictionary that gets it as an entry, or of entries there.
    """

    function: str
    name: str
    default: str
    callee: str = ""
    is_used: bool = False
    where: str = ""
    hint: str = ""
    position: int = 0
    stored_with: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Handler:
    """An action on an error.

    verb: ``return``, ``print``, ``log`` (value: the level, in Java the call), ``raise``, ``pass``, ``continue``, ``break``, ``exit`` (value:
    the code) or ``do`` (value: a statement).
    """

    verb: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class WrapTry(Located):
    """A function's body goes in ``try``, or the one statement in it that ``statement`` names.

    error: the exception; empty in languages that need none. On it ``value`` is returned, or ``handlers`` are done.
    is_body_if_defined: ``statement`` is a bare name, and means the body of the function that the text defines so, if it does.
    error_name: the name that the caught error gets; empty for the usual one. A statement "loop body" is what the only loop repeats.
    """

    function: str
    error: str
    value: str
    statement: str = ""
    handlers: tuple[Handler, ...] = ()
    is_body_if_defined: bool = False
    error_name: str = ""


@dataclass(frozen=True, slots=True)
class InsertStatement(Located):
    """A statement is written at a place: ``code``, or a log call of ``text``, of ``variable``, of both, or of the call of the
    function.

    where: ``top`` or ``end`` of ``function``, ``before`` or ``after`` the statement that ``anchor`` names, or ``first in`` or ``last in`` such a
    block ("loop", "catch"). level: of the
    log call. variable: several are joined by commas, ``*`` is all parameters. logger: the call that is named, such as
    ``log.Println``. is_of_call: the log call says that the function is called, or done.
    """

    code: str
    where: str
    function: str = ""
    anchor: str = ""
    text: str = ""
    level: str = ""
    variable: str = ""
    logger: str = ""
    is_of_call: bool = False


@dataclass(frozen=True, slots=True)
class SortImports(Chore):
    """Imports stand in their language's usual order.

    part: only those of this kind are sorted: ``stdlib``, ``packages``, ``own``, ``from`` or ``import``; empty for all. top: only the first so many
    imports; 0 for all. spared: words of the modules whose imports stay as they are. own: modules that are the project's own. first,
    last: words of the imports that the words put there; empty for none. is_grouped: a blank line parts the groups, as in Python anyway. is_of_lines: the names inside an import keep their order.
    """

    part: str = ""
    top: int = 0
    spared: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    first: str = ""
    last: str = ""
    is_grouped: bool = False
    is_of_lines: bool = False


@dataclass(frozen=True, slots=True)
class RemoveUnusedImports(Chore):
    """Imports that nothing uses go; names: of those alone, empty for all."""

    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChangeQuotes(Chore):
    """Strings stand in the quotes ``quote``, which is one character; text: of this string alone, empty for all.

    names: of definitions, constants and strings in which alone. constants: how many constants of the module alone, 0 for
    all of these, -1 for no such limit. part: ``imports`` or ``keys`` alone; empty for no such limit. with_comments: strings in
    commented-out code as well.
    """

    quote: str
    text: str = ""
    names: tuple[str, ...] = ()
    constants: int = -1
    part: str = ""
    with_comments: bool = False


@dataclass(frozen=True, slots=True)
class UseFStrings(Chore):
    """Strings that are formatted become f-strings. is_of_one: a single one is meant. with_sums: so do sums of strings, even where others are
    formatted.
    """

    is_of_one: bool = field(default=False, kw_only=True)
    with_sums: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class UseTemplateLiterals(Chore):
    """Strings that are joined become template literals. is_of_one: a single one is meant."""

    is_of_one: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class UseWithOpen(Chore):
    """Files that are opened and closed are opened in a ``with``; name: of the variable, or what opens it; empty for all."""

    name: str = ""


@dataclass(frozen=True, slots=True)
class PrintsToLogging(Chore):
    """Calls that print become log calls.

    level: such as ``debug``. logger: the name that is to be logged with. Empty where the words say nothing of that.
    """

    level: str = ""
    logger: str = ""


@dataclass(frozen=True, slots=True)
class SortFunctions(Intent):
    """Functions stand in the order of their names; are_methods: those of a class, of ``owner`` if it is named."""

    owner: str = ""
    are_methods: bool = False


@dataclass(frozen=True, slots=True)
class CommentOut(Intent):
    """Code becomes a comment: lines with ``text``, the definition ``name``, or without both the selection.

    is_undone: comments become code again. is_one: only one line has ``text``, and the word ``beside``, too, or it stands
    in the definition or entry called so, unless that is empty.
    """

    text: str = ""
    name: str = ""
    is_undone: bool = False
    is_one: bool = False
    beside: str = ""


@dataclass(frozen=True, slots=True)
class ReturnEarly(Located):
    """A function returns first where its last ``if`` does not hold.

    name: empty for the only such function, or for that of ``location``. test: words of the condition. value: what is
    returned then; empty where the words leave that to the code. in_loop: the last ``if`` of a loop is meant, and ``continue``.
    is_nested: the ``if`` at the end of its body is turned, too, and so on. guard: words for what has to hold where the
    function returns early; empty if none are given. is_turned: these describe the ``if`` that is to be turned around, and may
    have words that the code has not. returned: words for what is returned first; empty if none are given. described: as ``guard``, in
    words that may also say how the state is called in English ("already dead"). done: a statement that is run before the early return.
    """

    name: str = ""
    test: str = ""
    value: str = ""
    in_loop: bool = False
    is_nested: bool = False
    guard: str = ""
    is_turned: bool = False
    returned: str = ""
    described: str = ""
    done: str = ""


@dataclass(frozen=True, slots=True)
class Conditional(Intent):
    """``intent`` if the buffer has what it names, else the first of ``others`` that fits; if none does, ``Open``."""

    intent: Rename | DeleteDefinition | CommentOut | SetValue | ReplaceWord
    others: tuple[SetValue | ReplaceWord, ...] = ()


@dataclass(frozen=True, slots=True)
class ChangeElements(Within):
    """Elements go into a list (an array, a set, a sequence, an enum), or out of it.

    elements: as they are typed, in their quotes. of: the list's name, or words for it, or what holds it ("the matrix"); empty for the
    only list that has such elements.
    word: stands before an element and may be a part of the list's name ("python 3.13"); empty if none does.
    at_end: they go behind the others, even if those are sorted. beside: the element, or a part of it, behind which they go, before which
    if ``is_before``; empty if none is said.
    """

    elements: tuple[str, ...]
    of: str
    word: str = ""
    is_removed: bool = False
    at_end: bool = False
    beside: str = ""
    is_before: bool = False


@dataclass(frozen=True, slots=True)
class AddGuard(Located):
    """A function returns ``value`` first, or raises it, where a condition holds.

    function: empty for that of ``location``, or the only one with such a parameter. raises: ``value`` is an error;
    message: its text, empty if none is said. subject: what the condition is about; empty for the only parameter.
    test: ``empty``, ``none``, ``null``, ``undefined``, ``nil``, ``false``, or a comparison as it is written ("< 0").
    condition: the words of the condition.
    """

    function: str
    value: str
    subject: str
    test: str
    raises: bool = False
    message: str = ""
    condition: str = ""


@dataclass(frozen=True, slots=True)
class InsertLine(Intent):
    """A line is written as it stands in the request.

    where: ``top`` or ``end`` of the file, ``before`` or ``after`` the line with ``anchor``; empty for the place that such a
    line has by custom. is_marked: it stood in quotes, or is said to be a line.
    """

    line: str
    where: str
    anchor: str = ""
    is_marked: bool = False


@dataclass(frozen=True, slots=True)
class AddField(Intent):
    """A class, struct, interface or table gets a field, property or column.

    declaration: as it is typed, in the words of a language; empty where name, hint (its type) and default are said in
    words. is_optional: it need not be there.
    """

    owner: str
    declaration: str = ""
    name: str = ""
    hint: str = ""
    default: str = ""
    is_optional: bool = False


@dataclass(frozen=True, slots=True)
class ReplaceTyped(Located):
    """The text ``old``, exactly as it is typed, becomes ``new`` wherever it stands as whole words.

    is_typo: a wrong spelling is corrected. of_command: "use b instead of a", which means a word of a command. is_quoted:
    ``old`` stood in quotes.
    """

    old: str
    new: str
    is_typo: bool = False
    of_command: bool = False
    is_quoted: bool = False


@dataclass(frozen=True, slots=True)
class DeleteCommentedCode(Located):
    """Comments that are code, and no prose, go."""


@dataclass(frozen=True, slots=True)
class ReplaceVar(Chore):
    """``var`` becomes ``const`` where nothing is assigned later, else ``let``; only: the one of both that is named."""

    only: str = ""


@dataclass(frozen=True, slots=True)
class UseStrictEquality(Chore):
    """``==`` becomes ``===``, but for comparisons with ``null``."""


@dataclass(frozen=True, slots=True)
class AddModifier(Intent):
    """A definition gets the modifier ``word``: ``final``, ``readonly``, ``private``, ``public`` or ``export``.

    name: of the definition; empty for all fields, of the class ``owner`` if it is named. kind: as of ``Rename``.
    """

    word: str
    name: str = ""
    owner: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class MakeConfigurable(Intent):
    """The one constant that is passed as ``name``, or stands in a function that words of it name, becomes a parameter with itself as its
    default.

    default: the value that it is said to have, empty if none is; unit: behind that; empty for none.
    """

    name: str
    default: str = ""
    unit: str = ""


@dataclass(frozen=True, slots=True)
class AddArgument(Within):
    """The call of ``call``, a name or a word for it, gets the argument ``name`` with ``value``.

    unit: of time; empty for none. is_code: it was typed as ``name=value``. are_many: all such calls are meant.
    """

    name: str
    value: str
    call: str
    unit: str = field(default="", kw_only=True)
    is_code: bool = field(default=False, kw_only=True)
    are_many: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class ReadFromEnvironment(Intent):
    """The values ``names``, names or words for them, come from the environment.

    variable: the environment variable; empty for that of the value's name. default: if it is not set; empty for the value of today.
    """

    names: tuple[str, ...]
    variable: str = ""
    default: str = ""


@dataclass(frozen=True, slots=True)
class AddEntry(Intent):
    """The section ``of`` of a JSON file gets the key ``name`` with the text ``value``."""

    name: str
    value: str
    of: str


@dataclass(frozen=True, slots=True)
class AddIndex(Intent):
    """A table of a database, which may be said in the singular, gets an index on ``columns``."""

    table: str
    columns: tuple[str, ...]
    is_unique: bool = False


@dataclass(frozen=True, slots=True)
class ConstrainColumn(Intent):
    """A column of a table, which may be said in the singular, gets the ``constraint``: ``UNIQUE`` or ``NOT NULL``."""

    table: str
    column: str
    constraint: str


@dataclass(frozen=True, slots=True)
class ExtractConstant(Intent):
    """The literal ``value`` becomes the constant ``name``. unit: behind the value, as ``days``; empty for none. are_all: all such literals do."""

    value: str
    name: str
    unit: str = ""
    are_all: bool = False
