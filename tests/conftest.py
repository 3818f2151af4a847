"""The surroundings of every test: no accelerator, one thread, nothing of the user's touched."""

import gc
import itertools
import signal

import pytest

# A shell without job control starts what runs in the background with Ctrl-C and Ctrl-\ ignored,
# nohup with a hang-up ignored, and every child inherits that; the tests want all as a terminal has them.
for number, usual in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGQUIT, signal.SIG_DFL),
    (signal.SIGHUP, signal.SIG_DFL),
):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, usual)

pytest_plugins = ["tests.demo_model"]


@pytest.fixture(scope="session", autouse=True)
def freeze():
    """``gc.freeze``, which is called here and not by the models that come and go."""
    freeze = gc.freeze
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("editd.models.pool.gc.freeze", lambda: None)
        patch.setattr("editd.models.pool.gc.unfreeze", lambda: None)
        yield freeze


@pytest.fixture(scope="module", autouse=True)
def what_lives_is_no_garbage(freeze):
    """Each model looks for garbage: not among all the tests, the libraries and what earlier files keep."""
    gc.collect()
    freeze()


@pytest.fixture(scope="session", autouse=True)
def one_engine_for_gguf_files():
    """llama.cpp, unless a test names another: what is measured would depend on the machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("editd.models.engines.is_openvino_here", lambda: False)
        yield


@pytest.fixture(autouse=True)
def same_signals():
    """Put the handling of Ctrl-C back after each test, so that programs of later tests do not inherit a change."""
    before = signal.getsignal(signal.SIGINT)
    yield
    if signal.getsignal(signal.SIGINT) is not before:
        signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def homes(tmp_path_factory):
    """Numbered here: ``mktemp`` looks through all there are for the next number, ten thousand times."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / f"{number}" for number in itertools.count())


@pytest.fixture(autouse=True)
def own_folders(homes, monkeypatch):
    """Configuration, sockets and logs of a test are its own."""
    home = next(homes)
    home.mkdir()
    monkeypatch.setenv("EDITD_CONFIG", str(home / "config.toml"))
    monkeypatch.setenv("EDITD_STATE_DIR", str(home / "state"))
    monkeypatch.setenv("EDITD_RUNTIME_DIR", str(home / "run"))
