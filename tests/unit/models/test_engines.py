"""Which engine a GGUF file gets: by what was measured, once, and by name."""

import pytest

from editd import errors
from editd.models import engines
from editd.models.model import ModelSpec, Timing
from editd.models.round_costs import edit_seconds
from tests import tiny
from tests.gguf_files import wide_file, write

OPENVINO, LLAMA = "openvino", "llama_cpp"


class TimedPasses:
    """A target, and its sequence, whose passes take so many seconds a row."""

    vocab_size = 500

    def __init__(self, a_row):
        self.a_row, self.now = a_row, 0.0

    def open(self, prompt_ids):
        return self

    def prefill(self, token_ids):
        self.now += self.a_row * len(token_ids)

    def verify(self, token_ids, sampling):
        self.now += self.a_row * len(token_ids)

    def crop(self, length):
        pass

    def close(self):
        pass


class TimedModel:
    name, weights_bytes = "timed", 0

    def __init__(self, a_row):
        self.target, self.closed = TimedPasses(a_row), False
        self.timing = Timing(lambda: self.target.now, key=("timed", a_row))

    def drop_caches(self):
        pass

    def close(self):
        self.closed = True


class OneGpu:
    """A library of llama.cpp's that sees one."""

    def devices(self):
        return ["CUDA0"]


class Loader:
    """Remembers what it loaded. seconds: a row's, by backend; an exception is raised."""

    def __init__(self, openvino=1.0, llama_cpp=1.0):
        self.seconds = {OPENVINO: openvino, LLAMA: llama_cpp}
        self.loaded, self.progress, self.model = [], [], None

    def __call__(self, backend, progress):
        self.loaded.append(backend)
        progress(1.0)
        if isinstance(self.seconds[backend], Exception):
            raise self.seconds[backend]
        return TimedModel(self.seconds[backend])

    def measure(self, file, **options):
        return engines.measure_choice(ModelSpec(str(file), **options), self, self.progress.append)

    def run(self, file, **options):
        spec = ModelSpec(str(file), **options)
        model, choice, notice = engines.loaded_by_choice(spec, self, self.progress.append)
        assert not model.closed
        self.model = model
        return choice, notice


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.setenv("EDITD_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(engines, "is_openvino_here", lambda: True)
    monkeypatch.setattr(engines, "multiplies_bytes", lambda: True)


@pytest.fixture(scope="module")
def file():
    return wide_file("llama", "q8_0")


@pytest.mark.parametrize(
    ("llama_cpp", "backend", "loaded"),
    [
        (3.0, OPENVINO, [LLAMA, OPENVINO]),
        (1.51, OPENVINO, [LLAMA, OPENVINO]),
        (1.49, LLAMA, [LLAMA, OPENVINO]),
        (0.5, LLAMA, [LLAMA, OPENVINO]),
    ],
)
def test_what_is_measured_decides_once(file, llama_cpp, backend, loaded):
    loader = Loader(llama_cpp=llama_cpp)
    notice = loader.measure(file)
    assert loader.loaded == loaded
    assert loader.progress == sorted(loader.progress)
    choice, _ = Loader().run(file)
    assert f"runs on {choice.title}. It will stay so" in notice
    assert choice.backend == backend
    # A machine that is busy another day changes nothing, and nothing more is said.
    later = Loader(llama_cpp=100.0 if backend == LLAMA else 0.01)
    assert later.run(file) == (choice, "")
    assert later.loaded == [backend]


def test_no_edit_measures_or_converts_and_it_is_said_once_what_setup_could_do(file):
    for expected in ("`editd setup` measures that, once", ""):
        loader = Loader(llama_cpp=100.0)
        choice, notice = loader.run(file)
        assert (choice.backend, loader.loaded) == (LLAMA, [LLAMA])
        assert expected in notice
        assert bool(notice) == bool(expected)


def test_the_first_edit_is_reckoned_with_what_was_measured(file):
    loader = Loader(openvino=0.001, llama_cpp=1.0)
    loader.measure(file)
    loader.run(file)
    assert edit_seconds(loader.model, 1000, 100) == pytest.approx(1.1, rel=0.5)


@pytest.mark.parametrize(
    ("options", "backend"),
    [
        ({"engine": "openvino"}, OPENVINO),
        ({"engine": "llama.cpp"}, LLAMA),
        ({"device": "cuda"}, LLAMA),
    ],
)
def test_what_is_named_is_not_measured(file, options, backend):
    loader = Loader(llama_cpp=100.0 if backend == LLAMA else 0.01)
    choice, notice = loader.run(file, **options)
    assert (choice.backend, loader.loaded, notice) == (backend, [backend], "")


def test_a_processor_without_fast_bytes_is_not_measured(file, monkeypatch):
    monkeypatch.setattr(engines, "multiplies_bytes", lambda: False)
    loader = Loader(llama_cpp=100.0)
    choice, notice = loader.run(file)
    assert (choice.backend, loader.loaded, notice) == (LLAMA, [LLAMA], "")
    assert "VNNI" in choice.why


def test_an_idle_gpu_is_not_left_for_the_cpu(file, monkeypatch):
    monkeypatch.setattr(engines, "load_library", OneGpu)
    assert Loader(llama_cpp=100.0).run(file)[0].backend == LLAMA


def test_what_openvino_has_no_network_for_stays_without_a_word(tmp_path):
    path = write(tiny.checkpoint("llama", dtype="float32"), tmp_path / "model.gguf")
    path.write_bytes(path.read_bytes().replace(b"llama", b"gemma"))
    loader = Loader(llama_cpp=100.0)
    choice, notice = loader.run(path)
    assert (choice.backend, loader.loaded, notice) == (LLAMA, [LLAMA], "")


@pytest.mark.parametrize(
    "error", [errors.ModelUnsupported("no paging"), errors.OutOfMemory("full")]
)
def test_what_openvino_cannot_run_falls_back_and_says_why(file, error):
    loader = Loader(openvino=error, llama_cpp=100.0)
    assert loader.measure(file) == f"llama.cpp runs the model: {error}"
    assert loader.loaded == [LLAMA, OPENVINO]
    choice, _ = loader.run(file)
    assert (choice.backend, loader.loaded[2:]) == (LLAMA, [LLAMA])
    is_for_good = isinstance(error, errors.ModelUnsupported)
    assert (engines.known_choice(ModelSpec(str(file))) is not None) == is_for_good
    with pytest.raises(type(error), match=str(error)):
        loader.run(file, engine="openvino")


def test_a_library_that_broke_later_falls_back_too(file):
    Loader(llama_cpp=100.0).measure(file)
    loader = Loader(openvino=errors.ModelUnsupported("no paging"))
    choice, notice = loader.run(file)
    assert (choice.backend, loader.loaded) == (LLAMA, [OPENVINO, LLAMA])
    assert "no paging" in notice


def test_a_name_for_what_is_not_installed_says_how_to_install_it(file, monkeypatch):
    monkeypatch.setattr(engines, "is_openvino_here", lambda: False)
    monkeypatch.setattr("editd.models.openvino.is_library_installed", lambda: False)
    assert Loader(llama_cpp=100.0).run(file) == (engines.EngineChoice(LLAMA), "")
    with pytest.raises(errors.ModelUnsupported, match=r"not installed: .*openvino"):
        Loader().run(file, engine="openvino")


def test_what_was_uninstalled_is_not_replaced_silently(file, monkeypatch):
    Loader(llama_cpp=100.0).measure(file)
    monkeypatch.setattr(engines, "is_openvino_here", lambda: False)
    choice, notice = Loader(llama_cpp=100.0).run(file)
    assert choice.backend == LLAMA
    assert "not installed any more" in notice


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(errors.ModelNotFound):
        Loader().run(tmp_path / "none.gguf")
