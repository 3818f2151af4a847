"""Where files come from, which are kept back, and how they are cut."""

import ast
import re
from collections import Counter
from random import Random

import pytest

from tests.unit.training.samples import PYTHON
from training import corpus
from training.corpus import File, Package, pieces
from training.generated import LANGUAGES, write_file
from training.generated_python import write_python


def test_a_corpus_comes_back_from_its_file(tmp_path):
    files = [File("a/größe.py", "x = 'ö'\n", held_out=True), File("b/b.go", "package b\n", False)]
    path = tmp_path / "corpus.jsonl.gz"
    corpus.save(files, [Package("a", "1", "MIT", 1, held_out=True)], path)
    assert corpus.load(path) == files
    assert '"licence": "MIT"' in corpus.manifest_path(path).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("path", "held_out"),
    [
        ("python/json/decoder.py", True),
        ("pip/pip/_vendor/requests/api.py", True),
        ("jinja2/jinja2/lexer.py", True),
        ("python/email/message.py", True),
        ("python/argparse.py", False),
        ("numpy/numpy/linalg/_linalg.py", False),
    ],
)
def test_whole_packages_are_kept_back_and_vendored_copies_too(path, held_out):
    assert corpus._is_held_out(path) is held_out


@pytest.mark.parametrize(
    ("name", "content", "kept"),
    [
        ("a.py", "value = 1\n" * 20, True),
        ("short.py", "x = 1\n", False),
        ("minified.js", "x=1;" * 200, False),
        ("crlf.py", "value = 1\r\n" * 20, False),
        ("chinese.py", "# 漢字漢字漢字漢字\n" * 20, False),
        ("control.py", "value = '<|end|>'\n" * 20, False),
    ],
)
def test_only_what_people_write_is_taken(tmp_path, name, content, kept):
    (tmp_path / name).write_bytes(content.encode())
    assert (corpus._readable(tmp_path / name) is not None) is kept


def test_packages_without_a_permissive_licence_are_not_used():
    class Told(dict):
        def get_all(self, name):
            return [self[name]] if name in self else None

    assert corpus._licence_of(Told({"License-Expression": "MIT"})) == "MIT"
    assert corpus._licence_of(Told({"License": "BSD 3-Clause"})) == "BSD 3-Clause"
    assert corpus._licence_of(Told({"License-Expression": "MPL-2.0 AND MIT"})) == ""
    assert corpus._licence_of(Told({"License": "GPLv3 or MIT"})) == ""
    assert corpus._licence_of(Told({})) == ""


def test_pieces_of_python_parse_and_are_no_longer_than_asked():
    file = File("shop/stock.py", PYTHON, held_out=False)
    found = [piece for piece, _ in zip(pieces(file, Random(0), 400), range(60), strict=False)]
    found = [piece for piece in found if piece.text]
    assert len({piece.text for piece in found}) >= 4
    for piece in found:
        assert 30 <= len(piece.text) <= 400
        ast.parse("if 1:\n" * (piece.text[0] == " ") + piece.text)
        assert piece.path == "stock.py"


@pytest.mark.parametrize("language", LANGUAGES)
def test_generated_files_are_different_and_come_in_pieces(language):
    texts = {write_file(language, Random(seed)) for seed in range(20)}
    assert len(texts) == 20
    file = File(
        f"generated/{language}/a.{LANGUAGES[language]}", max(texts, key=len), held_out=False
    )
    assert file.language == language
    found = [piece.text for piece, _ in zip(pieces(file, Random(1), 800), range(20), strict=False)]
    assert any(found)
    assert all(text.strip() in file.text for text in found)


def test_generated_python_parses_and_its_lines_begin_alike():
    texts = {write_python(Random(seed)) for seed in range(50)}
    assert len(texts) == 50
    alike = 0
    for text in texts:
        ast.parse(text)
        starts = Counter(re.findall(r"^ +(self\.\w+)", text, re.MULTILINE))
        alike += any(count > 2 for count in starts.values())
    assert alike >= 40


def test_generated_python_is_never_held_out(monkeypatch):
    monkeypatch.setattr(corpus, "_sources", lambda _: [])
    files, packages = corpus.collect(generated_files=12)
    python = [file for file in files if file.language == "python"]
    assert len(python) == 36
    assert not any(file.held_out for file in python)
    assert [package.files for package in packages] == [len(files)]
