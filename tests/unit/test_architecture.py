"""The invariants of docs/explanation/architecture.md, read off the imports."""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import editd

ROOT = Path(editd.__file__).parent


@cache
def modules():
    """Module names without ``editd.``, and the syntax tree of each."""
    found = []
    for file in sorted(ROOT.rglob("*.py")):
        name = ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        found.append((name, ast.parse(file.read_text())))
    return found


@cache
def imports(tree):
    """What a module imports anywhere, as dotted names."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return found


def importers_of(*packages):
    return {
        room_of(name)
        for name, tree in modules()
        if any(found.split(".")[0] in packages for found in imports(tree))
    }


def room_of(module):
    """The first name, and of a door and of the remote engine the second as well."""
    names = module.split(".")
    deep = names[0] == "frontends" or names[:2] == ["models", "remote"]
    return ".".join(names[: 2 if deep else 1])


def own_imports(room):
    """Modules of editd, outside ``room``, that the files of ``room`` import."""
    found = set()
    for name, tree in modules():
        if name == room or name.startswith(room + "."):
            for imported in imports(tree):
                if imported.startswith("editd.") and not imported.startswith(f"editd.{room}"):
                    found.add(imported.removeprefix("editd."))
    return found


def test_only_lsp_knows_lsp():
    assert importers_of("pygls", "lsprotocol") == {"frontends.lsp"}


def test_only_the_frontends_know_what_they_speak():
    assert importers_of("starlette", "uvicorn") == {"frontends.http"}
    assert importers_of("mcp", "mcp_types") == {"frontends.mcp"}


def test_one_room_sends_text_to_another_machine():
    clients = ("httpx2", "httpx", "requests", "aiohttp", "http", "urllib3", "openai")
    senders = {
        room_of(name)
        for name, tree in modules()
        for found in imports(tree)
        if found.split(".")[0] in clients or found == "urllib.request"
    }
    assert senders == {"models.remote"}


def test_what_is_told_goes_through_one_function():
    """Only there are control characters spelled out."""
    ways = {"print", "Console", "sys.stderr.write", "sys.stdout.write", "typer.echo"}
    telling = {
        name
        for name, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name | ast.Attribute)
        and ast.unparse(node.func) in ways
    }
    # The last tells the process that started it, in JSON.
    assert telling == {"frontends.cli.console", "models.llama_cpp.fetching"}


def test_nothing_but_serve_listens_on_a_network():
    """By what makes a listener of an address; a Unix socket of this user's is none."""
    makers = {"start_server", "create_server", "HTTPServer", "TCPServer", "getaddrinfo", "AF_INET"}
    listening = {
        name
        for name, tree in modules()
        for node in ast.walk(tree)
        if getattr(node, "attr", getattr(node, "id", "")) in makers
    }
    listening |= {name for name, tree in modules() if "uvicorn" in imports(tree)}
    assert listening == {"frontends.http.serving"}


def test_only_syntax_knows_how_code_is_parsed():
    """All others ask ``syntax.code``; these match the shapes of Python's statements, and that list only shrinks."""
    parsing = {
        name
        for name, tree in modules()
        for found in imports(tree)
        if found.split(".")[0] in ("ast", "pyflakes", "symtable", "codeop")
        or found.startswith("tree_sitter")
    }
    assert {name for name in parsing if not name.startswith("syntax.")} == PARSING_THEMSELVES


PARSING_THEMSELVES = {
    "refactor.add_parameter",
    "refactor.insert_statement",
    "refactor.loggers",
    "refactor.remove_unused_imports",
    "refactor.wrap_try",
    "refactor.prints_to_logging",
    "refactor.python_turned_if",
    "refactor.use_f_strings",
    "refactor.use_with_open",
}


def test_only_the_model_room_knows_torch():
    # embedded merges weights; doctor asks torch what it can see.
    assert importers_of("torch", "transformers", "safetensors") <= {
        "models",
        "embedded",
        "frontends.cli",
    }


@pytest.mark.parametrize(
    ("room", "may_import"),
    [
        ("intent", set()),
        ("refactor", {"turns", "diff", "errors", "intent", "messages", "syntax"}),
        ("syntax", {"turns"}),
        ("apply", {"errors", "diff", "prompts", "checks", "messages", "turns", "syntax"}),
        ("diff", {"turns"}),
        ("decode", {"errors", "turns"}),
        ("prompts", {"errors", "intent", "messages", "turns", "syntax"}),
        ("checks", {"diff", "intent", "refactor", "syntax", "prompts", "errors", "turns"}),
        ("models", {"stores", "errors", "messages", "config", "config_sources", "decode", "prompts", "files", "turns"}),
        ("stores", {"errors", "files"}),
        ("workspace", {"errors", "messages", "decode", "syntax"}),
        ("models.remote", {"stores", "errors", "messages", "config_sources", "decode", "prompts", "models", "turns"}),
        ("outcome", {"errors", "messages"}),
        ("daemon", {"errors", "outcome", "messages", "config", "config_sources", "engine", "diff"}),
        ("plan", {"apply", "diff", "errors", "messages", "refactor"}),
        ("linters", {"checks", "config", "diff", "files", "messages", "offload", "syntax"}),
        ("frontends.planning_client", {"offload", "config", "errors", "messages", "daemon", "diff", "linters", "plan", "refactor", "workspace"}),
        ("wording", set()),
        ("frontends.preset_limits", {"config", "embedded"}),
        ("frontends.worded_client", {"errors", "messages", "daemon", "wording"}),
        ("frontends.checked_edit", {"errors", "outcome", "messages", "daemon", "plan"}),
        ("files", {"errors", "interrupts"}),
        ("frontends.http", {"errors", "outcome", "messages", "config_sources", "daemon", "diff", "frontends.planning_client", "frontends.worded_client", "frontends.checked_edit", "files", "offload"}),
        ("frontends.mcp", {"apply", "errors", "outcome", "messages", "daemon", "diff", "files", "frontends.planning_client", "frontends.worded_client", "frontends.checked_edit", "workspace", "offload"}),
        ("frontends.lsp", {"errors", "outcome", "messages", "config", "config_sources", "daemon", "diff", "syntax", "frontends.follow_up", "frontends.planning_client", "frontends.preset_limits", "frontends.worded_client", "frontends.http", "files", "offload", "wording", "workspace"}),
    ],
)  # fmt: skip
def test_a_room_imports_only_what_lies_to_its_right(room, may_import):
    rooms = {room_of(name) for name in own_imports(room)} - {
        "__version__",
        "interrupts",
        "installed",
    }
    assert rooms <= may_import


def test_no_two_packages_import_each_other():
    """Packages below ``editd``, by their first name; a type alone counts, and an import in a function."""
    packages = {name.split(".")[0] for name, _ in modules()}
    edges = {
        (name.split(".")[0], found.split(".")[1])
        for name, tree in modules()
        for found in imports(tree)
        if found.startswith("editd.")
    }
    pairs = {
        (first, second)
        for first, second in edges
        if first < second and second in packages and (second, first) in edges
    }
    assert pairs == set()


def test_lsp_reads_completions_without_the_extra_for_http():
    taken = {name for name in own_imports("frontends.lsp") if name.startswith("frontends.http.")}
    taken &= {name for name, _ in modules()}
    assert taken == {"frontends.http.completions", "frontends.http.edit_prompts"}
    for name, tree in modules():
        if name in taken:
            assert not {"starlette", "uvicorn"} & {found.split(".")[0] for found in imports(tree)}


def test_only_the_plan_computes_and_merges():
    computing = {
        "editd.refactor.computed.compute_edit",
        "editd.refactor.computed.split_request",
        "editd.apply.resolve.resolve_sketch",
        "editd.apply.resolve.with_ambiguity",
        "editd.apply.resolve.is_doubtful_merge",
    }
    imported = {found for _, tree in modules() for found in imports(tree)}
    callers = {name for name, tree in modules() if computing & set(imports(tree))}
    assert callers == {"plan"}
    assert computing <= imported  # by these names


def test_only_the_engine_joins_prompts_decode_and_diff():
    joiners = set()
    for name, tree in modules():
        rooms = {i.split(".")[1] for i in imports(tree) if i.startswith("editd.")}
        if {"prompts", "decode", "diff"} <= rooms:
            joiners.add(name.split(".")[0])
    assert joiners <= {"engine"}


STARTED = """
import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
    print(name, [heavy for heavy in ("torch", "transformers") if heavy in sys.modules])
"""


def test_clients_start_without_torch():
    names = ("frontends.cli", "frontends.lsp.server", "messages", "daemon.client", "decode")
    names = [f"editd.{name}" for name in (*names, "frontends.http.serving", "frontends.mcp.server")]
    code = [sys.executable, "-c", STARTED, *names]
    done = subprocess.run(code, capture_output=True, text=True)
    assert done.stdout == "".join(f"{name} []\n" for name in names), done.stderr


def circles():
    """Groups of modules that import one another, at the top or inside a function; types, too."""
    known = {f"editd.{name}" for name, _ in modules()}
    graph = {}
    for name, tree in modules():
        module = f"editd.{name}"
        # Importing a module imports the packages that it lies in; that is no circle.
        graph[module] = {
            found
            for found in imports(tree)
            if found in known and not f"{module}.".startswith(f"{found}.")
        }
    order, reached = [], set()

    def visit(module, edges, into):
        pending = [(module, iter(edges[module]))]
        reached.add(module)
        while pending:
            at, rest = pending[-1]
            following = next((found for found in rest if found not in reached), None)
            if following is None:
                into.append(at)
                pending.pop()
            else:
                reached.add(following)
                pending.append((following, iter(edges[following])))

    for module in graph:
        if module not in reached:
            visit(module, graph, order)
    importers = {module: {other for other in graph if module in graph[other]} for module in graph}
    reached.clear()
    for module in reversed(order):
        if module not in reached:
            group = []
            visit(module, importers, group)
            if len(group) > 1:
                yield sorted(group)


def test_no_modules_import_one_another():
    assert list(circles()) == []


WITHOUT_TORCH = """
import importlib, sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "transformers", "safetensors", "huggingface_hub"):
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Blocked())
for name in sys.argv[1:]:
    importlib.import_module(name)
"""
BRING_TORCH = ("models.torch.",)
"""Rooms that run or make models with torch; all others do without it."""


def test_everything_but_its_own_rooms_is_imported_without_torch():
    names = [name for name, _ in modules() if not f"{name}.".startswith(BRING_TORCH)]
    names = [f"editd.{name}" for name in names if not name.endswith("__main__")]
    code = [
        sys.executable,
        "-c",
        WITHOUT_TORCH,
        *names,
        "editd.models.torch",
    ]
    done = subprocess.run(code, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(names) > 200


def test_every_module_says_what_it_knows():
    for name, tree in modules():
        assert ast.get_docstring(tree), f"editd.{name} has no docstring"
