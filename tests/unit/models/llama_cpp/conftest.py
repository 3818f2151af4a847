"""A cache of their own, and one tiny model of llama.cpp, for all tests of a file."""

import pytest

from tests import tiny


@pytest.fixture(scope="module", autouse=True)
def _cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EDITD_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    from tests.gguf_files import write

    path = tmp_path_factory.mktemp("gguf") / "model.gguf"
    return write(tiny.checkpoint("llama", dtype="float32"), path)


@pytest.fixture(scope="module")
def model(file):
    from tests.unit.models.llama_cpp.loaded import load

    loaded = load(file)
    yield loaded
    loaded.close()
