"""Removes imports that nothing uses; an import that may be there for another reason stays and is named.

Python goes by pyflakes, the others by syntax: a name that no identifier repeats. What a language decides
only with other files (a Rust trait, a C header, a package's ``__init__``) is not decided in here.

a.py, "remove unused imports"::

    import os
    from typing import Any, Dict

    x: Dict = {}

becomes::

    from typing import Dict

    x: Dict = {}

a.ts, "remove unused imports"::

    import { a, b } from "./c";
    import "./effect";

    b();

becomes::

    import { b } from "./c";
    import "./effect";

    b();
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from editd.intent.intents import RemoveUnusedImports
from editd.refactor.candidates import Candidates, Spans, mentions_by_kind, whole_lines, with_spans
from editd.syntax.code import Code, read_code
from editd.syntax.imports import PYTHON_IMPORTS
from editd.syntax.language import SCRIPTS
from editd.syntax.python_text import Alias, PythonText, Statement, statements_tried
from editd.syntax.python_usage import unused_imports
from editd.syntax.trees import Node, Tree, nodes_in

_BY_NAME = re.compile(r"\b(?:globals|eval|exec|vars)\(|__getattr__|# doctest:|\bdoctest\b")
_FOR_EFFECT = frozenset({"readline", "rlcompleter"})
_TYPES_TEXT = """
    HashMap HashSet BTreeMap BTreeSet VecDeque BinaryHeap LinkedList Rc Arc Weak Mutex MutexGuard RwLock Once
    OnceLock LazyLock Condvar RefCell Cell OnceCell UnsafeCell Path PathBuf File OpenOptions Duration Instant
    SystemTime Ordering Cow PhantomData NonNull Pin Box String Vec Command Stdio Child AtomicBool AtomicUsize
    AtomicU32 AtomicU64 Arguments Formatter BufReader BufWriter Cursor OsStr OsString CStr CString Wrapping
    MaybeUninit ManuallyDrop NonZeroU32 NonZeroUsize TcpStream TcpListener UdpSocket SocketAddr IpAddr
    Ipv4Addr Ipv6Addr Chars Peekable Context Poll Waker Layout Entry Range RangeInclusive TypeId
"""
_TYPES = frozenset(_TYPES_TEXT.split())


def remove_unused_imports(
    intent: RemoveUnusedImports, code: Code, path: str = ""
) -> Candidates | None:
    """The text without unused imports, or only without those named in ``intent.names``, as a certain candidate;
    unchanged if all are used. Imports that may have another effect stay and are named as left alone.

    ``None`` where that cannot be decided: other languages than Python, JavaScript, TypeScript, Go, Rust and Java; text
    that does not parse; a named import that is used or not there (in Rust any named one); one that cannot be taken out
    alone, as beside a comment; a Go file that would lose all its imports; a script without imports; files whose imports
    others may use (``__init__.py``, ``conftest.py``, Rust's with modules in other files) or that may use names in texts
    (``eval``, doctests). path: the file's, for its name.
    """
    found = _without_unused(code, path, frozenset(intent.names))
    if found is None or not intent.names:
        return found
    # The names that are to go have to be gone.
    rest = read_code(found.texts[0], code.language)
    bound = [*bound_names(code)]
    for name in bound_names(rest):
        bound.remove(name)
    return found if {*bound} == {*intent.names} else None


def _without_unused(code: Code, path: str, named: frozenset[str]) -> Candidates | None:
    """The text without the unused imports, or only those of ``named``, if that is not empty, as a certain candidate.
    ``None`` where the function for its language leaves it open, for text that does not
    parse, and in languages other than Python, JavaScript, TypeScript, Go, Rust and Java.
    """
    language = code.language
    if language == "python":
        return _of_python(code, path, named)
    if code.tree is None:
        return None
    imports = [x.node for x in code.imports]
    if language in SCRIPTS:
        return _of_script(code.tree, imports, named)
    if language == "go":
        return _of_go(code.tree, imports, named)
    if language == "rust":
        return _of_rust(code.tree, imports, named)
    return _of_java(code.tree, imports, named) if language == "java" else None


def bound_names(code: Code) -> list[str]:
    """The names that the imports of a text give, in order, those imported twice twice: in Python as bound (``import
    a.b`` gives ``a.b``), in JavaScript and TypeScript as bound, then those of ``require``; else the last part of the
    path. Empty where no parser knows the text.
    """
    if code.python is not None:
        return [
            name.asname or name.name
            for node in ast.walk(code.python.tree)
            if isinstance(node, PYTHON_IMPORTS)
            for name in node.names
        ]
    tree = code.tree
    if tree is None:
        return []
    heads = [code.text[x.start : x.end].split(" from ", maxsplit=1)[0] for x in code.imports]
    if code.language in SCRIPTS:
        heads += [tree.code(pattern) for _, pattern in _requires(tree)]
        bare = [re.sub(r"(?:[\w$]+|\*) as (?=[\w$])", "", head) for head in heads]
        words = [word for head in bare for word in re.findall(r"[\w$]+", head)]
        return [word for word in words if word not in ("import", "type")]
    if code.language == "rust":
        arguments = (x.node.child_by_field_name("argument") for x in code.imports)
        leaves = (leaf for node in arguments if node for leaf in _leaves(node))
        return [tree.code(bound) for _, bound in leaves if bound]
    return [re.split(r"[./\s\"]", head.strip("; \"'"))[-1] for head in heads]


# Python


def _of_python(code: Code, path: str, named: frozenset[str]) -> Candidates | None:
    """The candidate for Python, with ``pass`` in an emptied block; an import one of whose unused names may be there for
    what it does stays whole and is named as left alone. named: the only names to take out; empty for all.

    ``None`` for ``__init__.py`` and ``conftest.py``, where names may be used by text (``eval``, doctests), if the text
    does not parse or is a part of a file, or an import shares its lines or a comment is in the way.
    """
    text = code.text
    python = code.python
    is_package = PurePosixPath(path.replace("\\", "/")).name in ("__init__.py", "conftest.py")
    if python is None or python.is_part or is_package or _BY_NAME.search(text):
        return None
    unused = unused_imports(python, path or "a.py")
    if unused is None:
        return None
    hinted = " ".join(re.findall(r"#\s*type:(.*)", text))
    tried = statements_tried(python.tree)
    spans: Spans = []
    stays: Spans = []
    for body in python.bodies():
        removed: list[Statement] = []
        for node in body:
            if not isinstance(node, PYTHON_IMPORTS):
                continue
            names = unused.get(node, [])
            if named:
                names = [x for x in names if (x.asname or x.name) in named]
            if not names:
                continue
            if node in tried or any(_is_meant_to_stay(x, python, hinted) for x in names):
                start, end = python.span(node)
                stays.append((start, end, ""))
            elif not python.is_alone(node):
                return None
            elif len(names) == len(node.names):
                removed.append(node)
            else:
                unwanted = [at for at, x in enumerate(node.names) if x in names]
                cut = _without_names(text, [python.span(x) for x in node.names], unwanted)
                if cut is None:
                    return None
                spans += cut
        for node in removed:
            first, last = python.first(node), python.last(node)
            indent = python.indent(first)
            left = f"{indent}pass\n" if len(removed) == len(body) and node is body[0] else ""
            spans.append((python.line_start(first), python.line_start(last + 1), left))
    what = mentions_by_kind(text, ("imports that may be there for what they do", stays))
    return Candidates((with_spans(text, spans),), is_certain=True, left_alone=what)


def _is_meant_to_stay(name: Alias, python: PythonText, hinted: str) -> bool:
    """Whether a comment on its line, a type comment, ``*`` or ``as`` itself says that the import
    has another reason, or the module is known to be imported for its effect.

    hinted: the text of all type comments.
    """
    line = python.lines[python.last(name)]
    is_kept = bool(
        re.search(r"#.*\b(?:noqa|pylint|isort|side effects?|re-?exports?)\b", line, re.IGNORECASE)
    )
    bound = name.asname or name.name.split(".")[0]
    is_hint = bool(re.search(rf"\b{re.escape(bound)}\b", hinted))
    is_all = name.name == "*"  # what of it is used, another file may say
    return is_kept or is_hint or is_all or name.asname == name.name or name.name in _FOR_EFFECT


def _without_names(
    text: str, places: Sequence[tuple[int, int]], removed: Sequence[int]
) -> Spans | None:
    """Spans that take some of the listed names out, each with its comma; ``None`` if a comment is
    in the way, or the last name of a list with a name on each line would leave its comma.

    places: of all names. removed: numbers of those to take out, in order, not all.
    """
    spans: Spans = []
    remaining = [at for at in range(len(places)) if at not in removed]
    for at in removed:
        start, end = places[at]
        line = text.rfind("\n", 0, start) + 1
        after = re.compile(r"[ \t]*,?[ \t]*(?:(?:#|//).*)?(?:\n|$)").match(text, end)
        if not text[line:start].strip() and after and after[0].endswith("\n"):
            is_last = at > remaining[-1] and "," not in after[0]
            spans.append((line, after.end(), ""))
            if is_last:
                return None  # the name above keeps its comma, which not every language allows
        elif at < remaining[-1]:
            spans.append((start, places[at + 1][0], ""))
        else:
            spans.append((places[at - 1][1], end, ""))
        if re.search(
            r"#|//|/\*", text[spans[-1][0] : spans[-1][1]].split("\n", maxsplit=1)[0]
        ) and (text[line:start].strip()):
            return None
    return spans


# Others, by syntax


def _words(tree: Tree, imports: Iterable[Node]) -> set[str]:
    """The identifiers outside these nodes, and the words of the comments that document something or
    instruct a tool.
    """
    inside = {node.id for node in imports}
    found: set[str] = set()
    waiting = [tree.root]
    while waiting:
        node = waiting.pop()
        if node.id in inside:
            continue
        if node.type.endswith("identifier") or node.type in ("metavariable", "primitive_type"):
            found.add(tree.code(node))
        elif "comment" in node.type and (code := tree.code(node)).startswith(
            ("/**", "// @", "//go:")
        ):
            found.update(re.findall(r"[^\W\d][\w$]*", code))
        waiting += node.children
    return found


def _result(
    text: str, spans: Iterable[tuple[int, int, str] | None], why: str, stays: Spans
) -> Candidates | None:
    """The certain candidate without these spans; ``None`` if one of them is ``None``, since that
    import cannot be taken out.

    why: what is said of ``stays``.
    """
    known = list(spans)
    if None in known:
        return None
    # One import of many is what is left of a group whose blank line it shared.
    new = with_spans(text, [span for span in known if span is not None])
    return Candidates((new,), is_certain=True, left_alone=mentions_by_kind(text, (why, stays)))


def _requires(tree: Tree) -> Iterator[tuple[Node, Node]]:
    """Yield each declaration ``const name = require("…")`` (or ``let``, ``var``) at the top level of a script that
    declares nothing else, and the node of its name or pattern.
    """
    for node in tree.root.named_children:
        parts = node.named_children
        if node.type not in ("lexical_declaration", "variable_declaration") or len(parts) != 1:
            continue
        pattern, value = (parts[0].child_by_field_name(field) for field in ("name", "value"))
        if pattern and value and re.fullmatch(r"require\(['\"][^'\"]+['\"]\)", tree.code(value)):
            yield node, pattern


def _without_requires(
    tree: Tree, used: set[str], named: frozenset[str]
) -> list[tuple[int, int, str] | None]:
    """Spans that take out the names that ``require`` gives and that ``used`` has not; ``None`` in the place of a span
    for a name that cannot be taken out alone. named: the only names to take out; empty for all.
    """
    spans: list[tuple[int, int, str] | None] = []
    for node, pattern in _requires(tree):
        if pattern.type == "identifier":
            name = tree.code(pattern)
            if name not in used and (not named or name in named):
                spans.append(whole_lines(tree.text, *tree.span(node)))
        elif pattern.type == "object_pattern":
            members = pattern.named_children
            names = [re.findall(r"[\w$]+", tree.code(x))[-1] for x in members]
            free = [n for n, x in enumerate(names) if x not in used and (not named or x in named)]
            if free and len(free) == len(members):
                spans.append(whole_lines(tree.text, *tree.span(node)))
            elif free:
                places = [tree.span(x) for x in members]
                spans += _without_names(tree.text, places, free) or [None]
    return spans


def _of_script(tree: Tree, imports: Sequence[Node], named: frozenset[str]) -> Candidates | None:
    """The candidate for JavaScript and TypeScript; ``React`` and the like count as used where there is JSX, imports
    without a name stay. named: the only names to take out; empty for all.

    ``None`` without imports, if one cannot be taken out alone, or only a part of one that is neither its braces nor its
    first name.
    """
    requires = [node for node, _ in _requires(tree)]
    if not imports and not requires:
        return None
    used = _words(tree, [*imports, *requires])
    if (
        any(tree.nodes("jsx_element", "jsx_self_closing_element", "jsx_fragment"))
        or "@jsx" in tree.text
    ):
        used |= {"React", "h", "Fragment", "jsx", "Preact"}
    spans = _without_requires(tree, used, named)
    if named:  # the others count as used
        used |= {_bound(x, tree) for node in imports for x in nodes_in(node) if x.is_named} - named
    for node in imports:
        clause = next((x for x in node.children if x.type == "import_clause"), None)
        if clause is None:
            continue
        parts = [x for x in clause.named_children if "comment" not in x.type]
        listed = next((x for x in parts if x.type == "named_imports"), None)
        members = (
            [x for x in listed.named_children if x.type == "import_specifier"] if listed else []
        )
        free = [x for x in members if _bound(x, tree) not in used]
        others = [x for x in parts if x is not listed]
        unused = [x for x in others if _bound(x, tree) not in used]
        if not free and not unused:
            continue
        if len(free) == len(members) and len(unused) == len(others):
            spans.append(whole_lines(tree.text, *tree.span(node)))
        elif not unused and len(free) < len(members):
            removed = [at for at, x in enumerate(members) if x in free]
            spans += _without_names(tree.text, [tree.span(x) for x in members], removed) or [None]
        elif listed and not unused:  # a, {b}: the braces go
            start = tree.span(others[0])[1]
            spans.append((start, tree.span(listed)[1], ""))
        elif listed and not free:  # a, {b}: a goes
            spans.append((tree.span(others[0])[0], tree.span(listed)[0], ""))
        else:
            return None
    return _result(tree.text, spans, "", [])


def _bound(node: Node, tree: Tree) -> str:
    """The name that an import gives: its alias, or its own."""
    alias = node.child_by_field_name("alias") or node.child_by_field_name("name")
    return tree.code(alias) if alias is not None else tree.code(node).split()[-1]


def _of_go(tree: Tree, imports: Sequence[Node], named: frozenset[str]) -> Candidates | None:
    """The candidate for Go; a package counts as used if its path may have a name that is used. ``None`` if all imports
    would go, or one cannot be taken out alone. named: the only packages to take out, by the last part of their paths;
    empty for all.
    """
    used = {
        tree.code(base).casefold()
        for node in tree.nodes("selector_expression", "qualified_type")
        if (base := node.children[0]).type in ("identifier", "package_identifier")
    }
    spans: list[tuple[int, int, str] | None] = []
    for node in imports:
        # A statement with a single import holds it; of a group each import is a node of its own.
        spec = node if node.child_by_field_name("path") else node.named_children[-1]
        path = spec.child_by_field_name("path")
        name = spec.child_by_field_name("name")
        if path is None:
            return None
        path_text = tree.code(path)[1:-1]
        if name is not None:
            is_used = tree.code(name) in ("_", ".") or tree.code(name).casefold() in used
        else:
            is_used = path_text == "C" or any(_may_be_called(path_text, word) for word in used)
        if is_used or (named and path_text.rpartition("/")[2] not in named):
            continue
        spans.append(whole_lines(tree.text, *tree.span(node)))
    if spans and len(spans) == len(imports):
        return None
    return _result(tree.text, spans, "", [])


def _may_be_called(path: str, word: str) -> bool:
    """Whether a Go package with this path may have the name ``word`` (in lower case). A package of the standard library
    (no dot in the first step of the path) is called by the last step, ``v2`` and the like aside; another one may have
    any name that contains, or is contained in, a part of one of the last three steps.
    """
    steps = path.casefold().split("/")
    if "." not in steps[0]:
        last = steps[-2] if re.fullmatch(r"v\d+", steps[-1]) and steps[1:] else steps[-1]
        return last == word
    parts = {part for step in steps[-3:] for part in re.split(r"\W|_", step) if part}
    return any(part in word or word in part for part in parts)


def _of_rust(tree: Tree, imports: Sequence[Node], named: frozenset[str]) -> Candidates | None:
    """The candidate for Rust; imports that may be traits are named and stay unless they are among ``named``, public ones and those
    with an attribute stay. named: the only names to take out; empty for all.

    ``None`` for a file with modules in other files, if an import cannot be taken out alone, or
    unused names stand in nested lists.
    """
    if any(node.child_by_field_name("body") is None for node in tree.nodes("mod_item")):
        return None  # a module in a file of its own may use them through super::*
    used = _words(tree, imports)
    spans: list[tuple[int, int, str] | None] = []
    stays: Spans = []
    for node in imports:
        before = node.prev_sibling
        is_held = before is not None and before.type == "attribute_item"
        is_shared = any(child.type == "visibility_modifier" for child in node.children)
        argument = node.child_by_field_name("argument")
        if is_held or is_shared or argument is None:
            continue
        names = list(_leaves(argument))
        free = [(name, bound) for name, bound in names if bound and tree.code(bound) not in used]
        free = [(name, bound) for name, bound in free if tree.code(bound) not in ("self", "_")]
        if named:
            free = [(name, bound) for name, bound in free if bound and tree.code(bound) in named]
        doubtful = [x for x, _ in free if not named and not _is_no_trait(x, tree, argument)]
        if doubtful:
            stays.append((*tree.span(node), ""))
        elif free and len(free) == len(names):
            spans.append(whole_lines(tree.text, *tree.span(node)))
        elif free:
            lists = [*nodes_in(argument, "use_list")]
            members = [x for x in lists[0].named_children if "comment" not in x.type]
            removed = [at for at, x in enumerate(members) if x in [name for name, _ in free]]
            if len(lists) > 1 or len(removed) != len(free):
                return None
            places = [tree.span(x) for x in members]
            spans += _without_names(tree.text, places, removed) or [None]
    return _result(tree.text, spans, "imports that may be traits", stays)


def _leaves(node: Node) -> Iterable[tuple[Node, Node | None]]:
    """Yield each name of a ``use``, lists opened at any depth, and the identifier that it gives;
    ``None`` for ``*``.
    """
    if node.type == "use_list":
        for child in node.named_children:
            if "comment" not in child.type:
                yield from _leaves(child)
    elif node.type == "scoped_use_list":
        yield from _leaves(node.named_children[-1])
    elif node.type == "use_wildcard":
        yield node, None
    elif node.type in ("use_as_clause", "scoped_identifier"):
        yield node, node.named_children[-1]
    else:
        yield node, node


def _is_no_trait(name: Node, tree: Tree, argument: Node) -> bool:
    """Whether a name is certainly no trait: a function or module (it begins in lower case), or a
    known type of Rust's standard library.

    argument: the path of the whole ``use``.
    """
    last = name.named_children[0] if name.type == "use_as_clause" else name
    word = tree.code(last).split("::")[-1]
    is_of_std = re.match(r"(?:std|core|alloc)::", tree.code(argument)) is not None
    return word[:1].islower() or (is_of_std and word in _TYPES)


def _of_java(tree: Tree, imports: Sequence[Node], named: frozenset[str]) -> Candidates | None:
    """The candidate for Java; imports with ``*`` stay. ``None`` if an import cannot be taken out alone. named: the only
    names to take out; empty for all.
    """
    used = _words(tree, imports)
    spans: list[tuple[int, int, str] | None] = []
    for node in imports:
        code = tree.code(node).rstrip("; ")
        name = re.split(r"[.\s]", code)[-1]
        if not code.endswith("*") and name not in used and (not named or name in named):
            spans.append(whole_lines(tree.text, *tree.span(node)))
    return _result(tree.text, spans, "", [])
