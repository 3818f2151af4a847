"""The files that training examples are made of: their sources, their licences, which are held out,
and how a file is cut into pieces of the size of a typical edit.

Sources: the standard library of the running Python, installed Python packages and npm packages whose
metadata name a permissive licence, and texts written by code: ``generated`` for languages that none
of these has, ``generated_python`` for what is rare in real files. ``python -m training.corpus --out
FILE`` writes them into one file, with a manifest of names, versions and licences beside it, so that a
machine without these packages can train.
Held-out files are whole packages: no file of theirs, and no vendored copy, is ever trained on.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib.metadata
import json
import platform
import re
import sysconfig
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path, PurePath
from random import Random
from typing import Annotated

import typer

from editd.syntax.language import language_of
from training.families.source import Source
from training.generated import LANGUAGES, write_file
from training.generated_python import write_python

HELD_OUT_PACKAGES = frozenset(
    {"json", "email", "http", "xmlrpc", "concurrent", "jinja2", "pygls", "pytest", "_pytest"}
    | {"networkx", "psutil", "anyio", "requests", "kiwisolver", "tree-sitter-c"}
)

_LICENCES = re.compile(
    r"\b(MIT|BSD|Apache|ISC|PSF|0BSD|Python Software Foundation)\b", re.IGNORECASE
)
_OTHER_LICENCES = re.compile(
    r"\b(A?GPL|LGPL|MPL|EPL|CDDL|Artistic|Mozilla|proprietary)", re.IGNORECASE
)
_ENDINGS_TEXT = (
    ".py .js .mjs .cjs .ts .mts .tsx .jsx .go .rs .c .h .cpp .hpp .css .json .toml .yaml .yml"
)
_ENDINGS = frozenset(_ENDINGS_TEXT.split()) | {".ini"}
_SKIPPED_FOLDERS = frozenset({"__pycache__", "node_modules", "idlelib", "lib2to3", "pydoc_data"})
_FILES_A_PACKAGE = 400
_SMALL_FILES = 0.35  # of the texts that are no methods
_SHORT_STATEMENT = 80  # characters
_GENERATED_PYTHON = 3  # times as many files as of another language: a seventh of all Python


@dataclass(frozen=True, slots=True)
class File:
    """A text; ``path`` begins with its package's name."""

    path: str
    text: str
    held_out: bool

    @property
    def language(self) -> str:
        return language_of(self.path)


@dataclass(frozen=True, slots=True)
class Package:
    """A source, as the manifest records it."""

    name: str
    version: str
    licence: str
    files: int
    held_out: bool


def collect(
    npm_folders: Iterable[Path] = (), generated_files: int = 300
) -> tuple[list[File], list[Package]]:
    """The files that may be used on this machine, no text twice."""
    files: list[File] = []
    packages: list[Package] = []
    seen: set[bytes] = set()
    for name, version, licence, root, paths in _sources(npm_folders):
        found: list[File] = []
        for path in paths:
            if len(found) >= _FILES_A_PACKAGE and name != "python":
                break
            text = _readable(root / path)
            if text is None:
                continue
            digest = hashlib.sha256("".join(text.split()).encode()).digest()
            if digest not in seen:
                seen.add(digest)
                relative = f"{name}/{path.as_posix()}"
                found.append(File(relative, text, _is_held_out(relative)))
        if found:
            files += found
            held_out = sum(file.held_out for file in found) * 2 > len(found)
            packages.append(Package(name, version, licence, len(found), held_out))
    rng = Random(0)
    for language, ending in LANGUAGES.items():
        for number in range(generated_files):
            held_out = number % 12 == 0
            text = write_file(language, rng)
            files.append(File(f"generated/{language}/file{number}.{ending}", text, held_out))
    # Never held out: what is measured are files that people wrote.
    for number in range(_GENERATED_PYTHON * generated_files):
        name = f"generated/python/file{number}.py"
        files.append(File(name, write_python(rng), held_out=False))
    count = generated_files * (len(LANGUAGES) + _GENERATED_PYTHON)
    packages.append(Package("generated", "2", "MIT", count, held_out=False))
    return files, packages


def save(files: Iterable[File], packages: Iterable[Package], path: Path) -> None:
    """Write one JSON object a line, compressed, and the manifest beside it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=9) as out:
        for file in files:
            out.write(json.dumps(asdict(file), ensure_ascii=False) + "\n")
    manifest = [asdict(package) for package in packages]
    content = json.dumps({"python": platform.python_version(), "packages": manifest}, indent=1)
    manifest_path(path).write_text(content + "\n", encoding="utf-8")


def load(path: Path) -> list[File]:
    """The files that ``save`` wrote to ``path``."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [File(**json.loads(line)) for line in lines]


def manifest_path(path: Path) -> Path:
    """Where the list of packages of a corpus file lies."""
    return path.with_name(path.name.split(".")[0] + ".manifest.json")


# --- pieces --------------------------------------------------------------------------------------


def pieces(file: File, rng: Random, most_characters: int) -> Iterator[Source]:
    """Texts cut from ``file`` at random, each as long as something that is edited at once.

    Runs of outermost statements, statements from here and there (a small file), a class's header with
    some methods, single methods (indented); of other languages, paragraphs. Endless; ends at once if
    the file has nothing to cut.
    """
    whole = Source(file.text, file.path)
    name = PurePath(file.path).name
    starts = _cuts(whole)
    if len(starts) < 2:
        return
    methods = _methods(whole) if whole.is_python else []
    while True:
        least = rng.choice((0.3, 0.6, 0.9)) * most_characters
        if methods and rng.random() < 0.3:
            header, start, end = rng.choice(methods)
            text = file.text[start:end]
            if rng.random() < 0.6:
                text = header + text
        elif whole.is_python and rng.random() < _SMALL_FILES:
            text = _small_file(file.text, starts, rng, most_characters)
        else:
            first = rng.randrange(len(starts) - 1)
            last = first + 1
            while last + 1 < len(starts) and starts[last] - starts[first] < least:
                if starts[last + 1] - starts[first] > most_characters:
                    break
                last += 1
            text = file.text[starts[first] : starts[last]]
        text = text.strip("\n") + "\n"
        if not 30 <= len(text) <= most_characters:
            # A file of giants would never yield: the caller decides how often to ask.
            yield Source("", name)
            continue
        if rng.random() < 0.04:
            text = text[:-1]
        yield Source(text, name)


def _small_file(text: str, starts: Sequence[int], rng: Random, most_characters: int) -> str:
    """Statements in their order, of which many are passed over: imports and the like more often."""
    chosen: list[str] = []
    for start, end in pairwise(starts):
        is_taken = rng.random() < (0.2 if end - start < _SHORT_STATEMENT else 0.6)
        if is_taken and end - start <= most_characters:
            most_characters -= end - start
            chosen.append(text[start:end])
    return "".join(chosen)


def _cuts(source: Source) -> list[int]:
    """Offsets where an outermost statement or paragraph begins, and the end; comments above count."""
    if source.is_python:
        if not source.is_valid or not source.body:
            return []
        cuts = [source.line_start(_first_line(source, node)) for node in source.body]
    else:
        # A line at the margin after an empty one; that is where one would begin to select.
        cuts = [match.end() for match in re.finditer(r"\n\n+(?=[^\s})\]])", "\n\n" + source.text)]
        cuts = [cut - 2 for cut in cuts]
    return sorted({*cuts, len(source.text)})


def _methods(source: Source) -> list[tuple[str, int, int]]:
    found = []
    for node in source.classes:
        if source.line(node.lineno)[:1] in (" ", "\t") or node.body[0].lineno == node.lineno:
            continue
        header_end = source.line_start(_first_line(source, node.body[0]))
        header = source.text[source.line_start(source.first_line_of(node)) : header_end]
        for first in range(len(node.body)):
            last = node.body[min(len(node.body) - 1, first + first % 3)]
            end = source.line_start((last.end_lineno or last.lineno) + 1)
            start = source.line_start(_first_line(source, node.body[first]))
            found.append((header, start, end))
    return found


def _first_line(source: Source, node: object) -> int:
    line = source.first_line_of(node)  # type: ignore[arg-type]
    while line > 1 and source.line(line - 1).lstrip().startswith("#"):
        line -= 1
    return line


# --- sources -------------------------------------------------------------------------------------

_Found = tuple[str, str, str, Path, Iterable[Path]]


def _sources(npm_folders: Iterable[Path]) -> Iterator[_Found]:
    library = Path(sysconfig.get_paths()["stdlib"])
    paths = [
        path.relative_to(library)
        for path in sorted(library.rglob("*.py"))
        if not {"site-packages", "dist-packages", "test", "tests"} & set(path.parts)
    ]
    yield "python", platform.python_version(), "PSF-2.0", library, _drawn(paths)
    distributions = {
        item.metadata["Name"].lower(): item for item in importlib.metadata.distributions()
    }
    for name, item in sorted(distributions.items()):
        licence = _licence_of(item.metadata)
        if name != "editd" and licence:
            files = sorted(Path(file) for file in item.files or ())
            yield name, item.version, licence, Path(str(item.locate_file(""))), _drawn(files)
    for folder in npm_folders:
        for package in sorted(folder.glob("**/package.json")):
            described = _npm_package(package)
            if described is not None:
                name, version, licence = described
                root = package.parent
                files = [path.relative_to(root) for path in sorted(root.rglob("*"))]
                yield name, version, licence, root, _drawn(files)


def _drawn(paths: Iterable[Path]) -> list[Path]:
    """Shuffled, so that a cap on a large package takes from all of it."""
    chosen = [
        path
        for path in paths
        if path.suffix in _ENDINGS
        and not path.name.endswith((".min.js", ".d.ts", "-lock.json"))
        and not _SKIPPED_FOLDERS & set(path.parts)
        and ".." not in path.parts
    ]
    Random(0).shuffle(chosen)
    return chosen


def _licence_of(metadata: importlib.metadata.PackageMetadata) -> str:
    """The licence's name if it is known and permissive, else nothing."""
    fields = [_field(metadata, "License-Expression"), _field(metadata, "License")[:60]]
    fields += [item for item in metadata.get_all("Classifier") or [] if item.startswith("License")]
    text = " ".join(field for field in fields if field)
    if not _LICENCES.search(text) or _OTHER_LICENCES.search(text):
        return ""
    return " ".join((fields[0] or fields[1] or text.rsplit("::", 1)[-1]).split())


def _field(metadata: importlib.metadata.PackageMetadata, name: str) -> str:
    return str((metadata.get_all(name) or [""])[0])


def _npm_package(path: Path) -> tuple[str, str, str] | None:
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(manifest, dict):
        return None
    name, version, licence = (manifest.get(key) for key in ("name", "version", "license"))
    if not all(isinstance(value, str) for value in (name, version, licence)):
        return None
    permissive = _LICENCES.search(str(licence)) and not _OTHER_LICENCES.search(str(licence))
    return (str(name), str(version), str(licence)) if permissive else None


def _is_held_out(path: str) -> bool:
    """By package. Of npm's many small ones, each fifteenth."""
    parts = {part.removesuffix(".py").lower() for part in PurePath(path).parts}
    if parts & HELD_OUT_PACKAGES:
        return True
    package = "/".join(path.split("/", 2)[: 1 + path.startswith("@")])
    return not path.endswith(".py") and zlib.crc32(package.encode()) % 15 == 0


def _readable(path: Path) -> str | None:
    """The text if it is what people write: not huge, no endless lines, mostly ASCII."""
    try:
        if not 120 < path.stat().st_size < 80_000:
            return None
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    if any(sign in text for sign in "\r\f\0\ufeff\u2028") or max(map(len, text.split("\n"))) > 300:
        return None
    plain = sum(map(str.isascii, text))
    return text if plain > 0.97 * len(text) and "<|" not in text else None


def main(
    out: Annotated[Path, typer.Option(help="File to write, .jsonl.gz.")],
    npm: Annotated[list[Path] | None, typer.Option(help="Folders of npm packages.")] = None,
    generated: Annotated[int, typer.Option(help="Files to generate for each language.")] = 300,
) -> None:
    """Write the corpus of this machine into one file."""
    files, packages = collect(npm or (), generated)
    save(files, packages, out)
    count = Counter((file.language, file.held_out) for file in files)
    size = sum(len(file.text) for file in files)
    print(f"{len(files):,} files of {len(packages)} packages, {size / 1e6:.1f} MB")
    for (language, held_out), number in sorted(count.items()):
        print(f"{number:7,} {language}{' (held out)' if held_out else ''}")


if __name__ == "__main__":
    typer.run(main)
