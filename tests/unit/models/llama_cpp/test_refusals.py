"""A bad file is one sentence, and so is one that there is no room for."""

import subprocess
import sys

import pytest

from editd import errors
from editd.models import registry
from editd.models.llama_cpp import target
from editd.models.model import ModelSpec
from tests import tiny
from tests.gguf_files import write
from tests.unit.models.llama_cpp.loaded import load


@pytest.mark.parametrize(
    ("content", "error", "said"),
    [
        (None, errors.ModelNotFound, "No such file"),
        (b"PK\3\4 no model", errors.ModelDamaged, "is not a GGUF file"),
        (b"GGUF", errors.ModelDamaged, "cut short"),
        (b"GGUF\3\0\0\0", errors.ModelDamaged, "cut short"),
        (b"GGUF\x63\0\0\0" + bytes(64), errors.ModelUnsupported, "version 99.* newer editd"),
    ],
    ids=["none", "zip", "empty", "header", "newer"],
)
def test_a_bad_file_is_one_sentence(tmp_path, content, error, said):
    path = tmp_path / "bad.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(error, match=said):
        load(path)


def test_a_device_is_no_file(tmp_path):
    (tmp_path / "bad.gguf").symlink_to("/dev/null")
    with pytest.raises(errors.ModelDamaged, match=r"bad\.gguf is a pipe or a device"):
        load(tmp_path / "bad.gguf")


@pytest.mark.parametrize("kept", [100, 20_000, -1000])
def test_a_file_that_is_cut_short_is_one_sentence(tmp_path, file, kept):
    (tmp_path / "cut.gguf").write_bytes(file.read_bytes()[:kept])
    with pytest.raises(errors.ModelDamaged, match=r"cut short|cannot read cut\.gguf"):
        load(tmp_path / "cut.gguf")


def test_an_architecture_that_the_library_does_not_know(tmp_path):
    path = tmp_path / "model.gguf"
    write(tiny.checkpoint("llama", dtype="float32"), path, general__architecture="llama9")
    with pytest.raises(
        errors.ModelUnsupported, match=r"cannot run model\.gguf .*install a newer one"
    ):
        load(path)


def test_parts_are_named(tmp_path):
    path = tmp_path / "m-00001-of-00002.gguf"
    path.write_bytes(b"GGUF")
    with pytest.raises(errors.ModelNotFound, match=r"m-00002-of-00002\.gguf is missing"):
        load(path)
    path.rename(tmp_path / "m-00002-of-00002.gguf")
    with pytest.raises(errors.ModelNotFound, match=r"name the first, m-00001-of-00002\.gguf"):
        load(tmp_path / "m-00002-of-00002.gguf")


def test_no_room_is_one_sentence(file, monkeypatch):
    with pytest.raises(errors.OutOfMemory, match=r"raise daemon\.memory"):
        registry.load(ModelSpec(str(file)), most_bytes=1 << 20)
    monkeypatch.setattr("psutil.virtual_memory", lambda: type("M", (), {"available": 1}))
    with pytest.raises(errors.OutOfMemory, match="choose a smaller quantisation"):
        load(file)


def test_a_cache_that_cannot_be_written_is_one_sentence(tmp_path, file, monkeypatch):
    (tmp_path / "cache").write_text("a file")
    monkeypatch.setenv("EDITD_CACHE_DIR", str(tmp_path / "cache"))
    with pytest.raises(errors.ModelUnsupported, match="set EDITD_CACHE_DIR"):
        load(file)


def test_loading_prints_nothing(file):
    program = (
        "from editd.models import registry; from editd.models.model import ModelSpec\n"
        f"registry.load(ModelSpec({str(file)!r}, device='cpu', threads=1)).close()\n"
        "import sys; assert 'torch' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_bitwise_that_cannot_be_proved_is_refused(file, monkeypatch):
    monkeypatch.setattr(target, "find_least_rows", lambda *_: 0)
    with pytest.raises(errors.ConfigError, match="set it to auto"):
        load(file, exactness="bitwise")
