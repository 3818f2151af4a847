"""Converting: once, whole or not at all, and whatever goes wrong is one sentence."""

import resource
import subprocess
import sys
import threading

import pytest

from editd import errors
from editd.config import Config
from editd.daemon.failures import loading_sentence
from editd.decode.target import GREEDY
from editd.models import engines, registry
from editd.models.llama_cpp.header import described_folder
from editd.models.model import ModelSpec
from editd.models.openvino import converting, loading, paged
from editd.models.pool import ModelPool
from tests.gguf_files import wide_checkpoint, wide_file

pytest.importorskip("openvino", reason="needs pip install -e '.[openvino]'")


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("EDITD_CACHE_DIR", str(tmp_path))
    return tmp_path / "openvino"


@pytest.fixture(scope="module")
def file():
    return wide_file("llama", "q8_0")


def load(file, progress=None, **options):
    most_bytes = options.pop("most_bytes", None)
    spec = ModelSpec(f"openvino:{file}", **{"threads": 1, **options})
    return registry.load(spec, progress, most_bytes=most_bytes)


def left_behind(cache):
    """All but locks, which take no room."""
    return [path for path in cache.rglob("*") if path.suffix != ".lock"]


def test_it_is_converted_once_with_progress_and_listed(cache, file, monkeypatch):
    heard = []
    load(file, heard.append).close()
    assert heard == sorted(heard)
    assert heard[-1] == 1.0
    assert len(heard) > 5
    (kept,) = converting.converted_models()
    assert kept.source == file
    assert 0.9 * file.stat().st_size < kept.size_bytes < 1.2 * file.stat().st_size
    monkeypatch.setattr(converting, "_write", None)
    load(file).close()
    assert [kept.folder] == [one for one in cache.iterdir() if one.is_dir()]


@pytest.mark.parametrize("damage", ["cut", "foreign", "no json", "another version's"])
def test_what_is_damaged_is_made_again(cache, file, damage):
    load(file).close()
    (kept,) = converting.converted_models()
    numbers, about = kept.folder / "model.safetensors", kept.folder / "editd.json"
    if damage == "cut":
        numbers.write_bytes(numbers.read_bytes()[:-1000])
    elif damage == "foreign":
        numbers.write_bytes((wide_checkpoint("llama") / numbers.name).read_bytes())
    else:
        about.write_text("{" if damage == "no json" else "{}")
    model = load(file)
    sequence = model.target.open([5, 6])
    assert len(sequence.verify([5, 6], GREEDY).choice_ids) == 2
    model.close()


def test_a_full_disk_leaves_nothing(cache, file):
    """As good as full: no file may grow beyond some of the weights."""
    described_folder(file)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (file.stat().st_size // 2, before[1]))
    try:
        with pytest.raises(
            errors.ModelError, match=r"cannot be kept .*File too large.*make room"
        ) as told:
            load(file)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "\n" not in str(told.value)
    assert left_behind(cache) == []


def test_a_cancelled_conversion_leaves_nothing(cache, file):
    with pytest.raises(errors.EditCancelled):
        load(file, lambda done: done < 0.3)
    assert left_behind(cache) == []


def test_two_at_once_convert_it_once(file, monkeypatch):
    plainly, reads, results = loading.read_file, [], []
    both = threading.Barrier(2)

    def read(path):
        reads.append(path)
        return plainly(path)

    def run():
        both.wait()
        found = loading.locate(ModelSpec(str(file)))
        results.append(found.network.open_graph(lambda _: None))

    monkeypatch.setattr(loading, "read_file", read)
    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(reads) == 1
    assert sorted(one.is_new for one in results) == [False, True]
    assert results[0].sizes == results[1].sizes


def test_a_changed_file_is_converted_anew_and_the_old_one_forgotten(tmp_path, file):
    path = tmp_path / "m.gguf"
    for kind in ("q8_0", "q4_0"):
        path.write_bytes(wide_file("llama", kind).read_bytes())
        load(path).close()
    (kept,) = converting.converted_models()
    assert kept.size_bytes < 0.7 * file.stat().st_size


@pytest.mark.parametrize("fault", [ImportError("gone"), RuntimeError("changed"), TypeError("more")])
def test_without_the_private_transformation_it_is_refused(file, fault, monkeypatch):
    def fail(*_):
        raise fault

    monkeypatch.setattr("openvino._offline_transformations.paged_attention_transformation", fail)
    with pytest.raises(errors.ModelUnsupported, match=r"no paged attention .*llama\.cpp"):
        load(file)


def test_an_operator_that_it_does_not_have_is_one_sentence(file, monkeypatch):
    def fail(*_):
        raise RuntimeError("Unsupported operation of type: PagedAttentionExtension\nat line 7")

    monkeypatch.setattr("openvino.Core.compile_model", fail)
    with pytest.raises(
        errors.ModelUnsupported, match=r"Unsupported operation .*llama\.cpp"
    ) as told:
        load(file)
    assert "\n" not in str(told.value)


def test_the_engine_is_measured_on_the_real_file_and_stays(file, monkeypatch):
    monkeypatch.setattr(engines, "is_openvino_here", lambda: True)
    monkeypatch.setattr(engines, "multiplies_bytes", lambda: True)
    spec = ModelSpec(str(file), device="cpu", threads=1)
    pending = registry.conversion_pending(spec, is_measured_first=True)
    assert pending is None or pending.nbytes > 0
    model = registry.load(spec)
    assert "`editd setup` measures that" in model.notice
    assert registry.conversion_pending(spec) is None  # not by an edit
    model.close()
    said = {}
    notice = registry.prepare(spec, said.setdefault)
    (doing,) = said
    assert doing.startswith(f"measuring which engine runs {file.name} fastest, once")
    assert "It will stay so" in notice
    assert registry.prepare(spec, said.setdefault) == ""
    model = registry.load(spec)
    assert "times as fast as llama.cpp" in model.status().runs
    model.close()


def test_what_is_named_is_converted_ahead_and_loading_says_what_it_does(file):
    spec = ModelSpec(str(file), device="cpu", threads=1, engine="openvino")
    for converted in converting.converted_models():
        converted.delete()
    pending = registry.conversion_pending(spec)
    said = []
    pool = ModelPool(Config(), said.append)
    pool.acquire(spec)
    assert loading_sentence(said[0]).startswith("converting for OpenVINO, once: ")
    pool.release(spec)
    pool.unload()
    (converted,) = converting.converted_models()
    assert pending.nbytes == pytest.approx(converted.size_bytes, rel=0.05)
    converted.delete()
    done = {}
    assert "was converted for OpenVINO" in registry.prepare(spec, done.setdefault)
    assert registry.conversion_pending(spec) is None
    assert registry.prepare(spec, done.setdefault) == ""


def test_no_rows_prove_nothing(file, monkeypatch):
    run = paged.PagedNetwork.run
    monkeypatch.setattr(paged.PagedNetwork, "run", lambda *given: run(*given)[:0])
    with pytest.raises(errors.ModelUnsupported, match=r"other bits .*llama\.cpp"):
        load(file)


def test_widths_that_differ_are_refused_also_the_next_time(file, monkeypatch):

    monkeypatch.setattr(paged, "find_exact_widths", lambda *_: (0, 0))
    for _ in range(2):
        with pytest.raises(errors.ModelUnsupported, match=r"other bits .*llama\.cpp"):
            load(file)
        monkeypatch.setattr(paged, "find_exact_widths", None)


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"device": "cuda"}, errors.ConfigError, "model.device is cuda"),
        ({"most_bytes": 1 << 20}, errors.OutOfMemory, "raise daemon.memory"),
    ],
)
def test_what_cannot_be_promised_is_refused(file, options, error, said):
    with pytest.raises(error, match=said):
        load(file, **options)


def test_engine_names_a_folder_too():
    folder = wide_checkpoint("qwen2")
    model = registry.load(ModelSpec(str(folder), engine="openvino", threads=1))
    assert model.status().runs.startswith("OpenVINO")
    model.close()


def test_openvino_does_not_report_that_it_was_imported():
    code = (
        "import sys, editd.models.openvino, openvino\n"
        "print([name for name in sys.modules if name.startswith('openvino_telemetry.')],"
        " sys.modules['openvino_telemetry'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "[] None\n", done.stderr


def test_what_a_gguf_file_lacks_is_said_here_too(file):
    model = load(file)
    assert "comes without a chat template" in model.notice
    model.close()
