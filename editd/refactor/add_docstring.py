'''Adds a docstring to a function or class, or replaces the one that it has; in other languages a comment of documentation.

a.py, "document load with 'Read a file.'"::

    def load(path):
        return open(path).read()

becomes::

    def load(path):
        """Read a file."""
        return open(path).read()

a.js, "JSDoc for load: 'Read a file.'"::

    export function load(path) {
      return read(path);
    }

becomes::

    /** Read a file. */
    export function load(path) {
      return read(path);
    }
'''

from __future__ import annotations

import re

from editd.intent.intents import AddDocstring
from editd.refactor.candidates import Candidates, with_spans
from editd.refactor.python_function import body_start
from editd.syntax.code import Code
from editd.syntax.language import SCRIPTS
from editd.syntax.python_text import PythonText, docstring_of

# A comment of documentation, by language.
_COMMENTS = {
    **dict.fromkeys((*SCRIPTS, "java", "c", "cpp", "kotlin", "scala", "php"), "/** {} */"),
    **dict.fromkeys(("rust", "swift", "dart", "zig"), "/// {}"),
    "csharp": "/// <summary>{}</summary>",
    "go": "// {}",
    "ruby": "# {}",
}
_IS_COMMENT = re.compile(r"\s*(?://|/\*|\*|#(?!\[|include|define))")


def add_docstring(
    intent: AddDocstring, code: Code, *, may_replace: bool = False
) -> Candidates | None:
    """The text with the docstring at the top of the body of a Python function or class, or of the file if the intent
    names neither; in other languages with a comment of documentation above the definition. A certain candidate.

    ``None`` if not exactly one function or class has the name, its body begins on the line of its header (Python), or
    the docstring is blank, has a line end, or has in it what would end it or needs an escape; if there is one already;
    or in languages whose comments of documentation are not known. may_replace: a Python docstring that is there is
    replaced, in its own quotes; ``None`` if that has a prefix (``r``), or the new one contains a character of these
    quotes.
    """
    docstring = intent.text
    if not docstring.strip() or "\n" in docstring:
        return None
    if code.python is not None:
        return _in_python(intent, code.python, may_replace=may_replace)
    return _above_definition(intent, code)


def _in_python(intent: AddDocstring, python: PythonText, *, may_replace: bool) -> Candidates | None:
    """The text of Python with the docstring at the top of the body of the function or class that the intent names, or
    of the file, below comments at its top, if the name is empty; a certain candidate.

    ``None`` if not exactly one has the name, its body begins on the line of its header, the docstring has a backslash
    or three double quotes in it or ends with a double quote, or there is one. may_replace: that is replaced in its own
    quotes; ``None`` if it has a prefix, or the new one contains a character of these quotes.
    """
    docstring, text = intent.text, python.text
    if "\\" in docstring or '"""' in docstring or docstring.endswith('"'):
        return None
    definitions = python.definitions(intent.function) if intent.function else []
    if len(definitions) != (1 if intent.function else 0):
        return None
    present = docstring_of(definitions[0] if definitions else python.tree)
    if present is not None:
        start, end = python.span(present)
        quotes = re.match(r"\"\"\"|'''|\"|'", text[start:end])
        if not may_replace or quotes is None or quotes[0][0] in docstring:
            return None
        new = f"{quotes[0]}{docstring}{quotes[0]}"
        return Candidates((with_spans(text, [(start, end, new)]),), is_certain=True)
    if not definitions:
        head = re.match(r"(?:#[^\n]*\n)*", text)
        start = head.end() if head else 0
        new = f'"""{docstring}"""\n' + ("\n" if text[start:].strip() else "")
        return Candidates((f"{text[:start]}{new}{text[start:].lstrip(chr(10))}",), is_certain=True)
    first_line = body_start(python, definitions[0])
    if first_line is None:
        return None
    line, indent = first_line
    start = python.line_start(line)
    new = f'{indent}"""{docstring}"""\n'
    return Candidates((with_spans(text, [(start, start, new)]),), is_certain=True)


def _above_definition(intent: AddDocstring, code: Code) -> Candidates | None:
    """The text with a comment of documentation above the one function or type of the name, as a certain candidate;
    ``impl`` blocks do not count.

    ``None`` if the name is empty, none or several have it, it has a comment above it, the text would end the comment,
    or the language has no known form of such.
    """
    form = _COMMENTS.get(code.language)
    name = intent.function
    found = [x for x in code.definitions if x.is_block and name in (x.name, x.qualified)]
    # The blocks of methods that Rust writes apart have the name of their type, too.
    found = [x for x in found if not code.lines[x.start].lstrip().startswith("impl")]
    if form is None or not name or len(found) != 1 or "*/" in intent.text:
        return None
    line = code.lines[found[0].start]
    if _IS_COMMENT.match(line):
        return None
    indent = line[: len(line) - len(line.lstrip())]
    comment = f"{indent}{form.format(intent.text)}\n"
    text = "".join([*code.lines[: found[0].start], comment, *code.lines[found[0].start :]])
    return Candidates((text,), is_certain=True)
