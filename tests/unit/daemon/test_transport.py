import asyncio
import contextlib
import os
import socket
import struct
from pathlib import Path

import pytest

from editd.daemon import transport
from editd.errors import DaemonUnreachable


@pytest.fixture(autouse=True)
def no_session(monkeypatch, tmp_path):
    monkeypatch.delenv(transport.ENV_RUNTIME_DIR, raising=False)
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    monkeypatch.setattr(transport, "_temporary_directory", lambda: tmp_path / "fallback")


def test_the_directory_is_the_chosen_one_or_the_sessions_or_a_temporary_one(monkeypatch, tmp_path):
    session = tmp_path / "session"
    session.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(session))
    assert transport.runtime_directory() == session / "editd"
    monkeypatch.setenv(transport.ENV_RUNTIME_DIR, str(tmp_path / "chosen"))
    assert transport.runtime_directory() == tmp_path / "chosen"


@pytest.mark.parametrize("session", ["", "relative/dir", "/does/not/exist"])
def test_a_session_directory_that_is_none_is_passed_over(monkeypatch, tmp_path, session):
    monkeypatch.setenv("XDG_RUNTIME_DIR", session)
    if Path(f"/run/user/{os.getuid()}").exists():
        pytest.skip("this machine has a session directory")
    assert transport.runtime_directory() == tmp_path / "fallback"


def test_another_users_session_directory_is_passed_over(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    uid = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: uid + 1)  # as after su
    assert transport.runtime_directory() == tmp_path / "fallback"


def test_the_directory_is_made_private_and_repaired(tmp_path):
    directory = tmp_path / "new" / "run"
    transport.make_private(directory)
    assert directory.stat().st_mode & 0o777 == 0o700
    directory.chmod(0o755)
    transport.make_private(directory)
    assert directory.stat().st_mode & 0o777 == 0o700


def loosen(directory: Path, monkeypatch) -> None:
    directory.mkdir(mode=0o777)
    monkeypatch.setattr(os, "fchmod", lambda descriptor, mode: None)  # as on a foreign file system
    directory.chmod(0o777)


def symlink(directory: Path, monkeypatch) -> None:
    target = directory.parent / "elsewhere"
    target.mkdir(mode=0o700)
    directory.symlink_to(target)


def give_away(directory: Path, monkeypatch) -> None:
    directory.mkdir(mode=0o700)
    uid = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: uid + 1)


def make_a_file(directory: Path, monkeypatch) -> None:
    directory.write_text("")


@pytest.mark.parametrize(
    ("prepare", "reason"),
    [
        (loosen, "entered by other users"),
        (symlink, "symbolic link"),
        (give_away, "another user"),
        (make_a_file, "cannot be used"),
    ],
)
def test_a_directory_that_cannot_be_trusted_is_refused(monkeypatch, tmp_path, prepare, reason):
    directory = tmp_path / "run"
    prepare(directory, monkeypatch)
    monkeypatch.setenv(transport.ENV_RUNTIME_DIR, str(directory))
    with pytest.raises(DaemonUnreachable, match=reason) as caught:
        transport.socket_path()
    assert transport.ENV_RUNTIME_DIR in str(caught.value)  # what to do


def test_the_name_of_the_socket_tells_versions_apart(monkeypatch):
    monkeypatch.setattr(transport, "build_id", lambda: "0" * 8)
    names = {transport.socket_name()}
    monkeypatch.setattr(transport, "PROTOCOL_VERSION", 9999)
    names.add(transport.socket_name())
    monkeypatch.setattr(transport, "build_id", lambda: "1" * 8)
    names.add(transport.socket_name())
    assert len(names) == 3


def test_the_build_changes_with_the_code_and_with_nothing_else(monkeypatch, tmp_path):
    module = tmp_path / "editd" / "daemon" / "transport.py"
    module.parent.mkdir(parents=True)
    module.write_text("pass")
    monkeypatch.setattr(transport, "__file__", str(module))
    before = transport.build_id()
    os.utime(module, (0, 0))
    (module.parent / "notes.txt").write_text("x")
    (module.parent / ".#editing.py").symlink_to("nowhere")
    assert transport.build_id() == before
    (module.parent / "new.py").symlink_to("nowhere")
    with_new = transport.build_id()
    module.write_text("fast")
    assert len({before, with_new, transport.build_id()}) == 3


@pytest.mark.parametrize("length", [50, 90, 95, 100, 105, 110, 200])
def test_the_socket_can_be_bound_however_long_the_directory_is(monkeypatch, tmp_path, length):
    base = tmp_path / "x"
    directory = Path(str(base) + "y" * max(0, length - len(str(base))))
    monkeypatch.setenv(transport.ENV_RUNTIME_DIR, str(directory))
    path = transport.socket_path("editd-1.sock")
    assert len(str(path)) <= transport.MAX_SOCKET_PATH
    transport.bind(path).close()
    assert path.is_socket()
    other = transport.socket_path("editd-2.sock")
    assert other != path
    transport.bind(other).close()
    assert transport.sibling_sockets(path) == [other]


def test_two_long_directories_share_no_socket(monkeypatch, tmp_path):
    paths = set()
    for name in ("a", "b"):
        monkeypatch.setenv(transport.ENV_RUNTIME_DIR, str(tmp_path / (name * 120)))
        paths.add(transport.socket_path("editd-1.sock"))
    assert len(paths) == 2
    for path in paths:
        transport.bind(path).close()
    assert [transport.sibling_sockets(path) for path in paths] == [[], []]


def test_a_stale_socket_is_replaced_and_anything_else_is_not(tmp_path):
    path = tmp_path / "s"
    transport.bind(path).close()
    listener = transport.bind(path)
    assert path.stat().st_mode & 0o077 == 0
    listener.close()
    path.unlink()
    path.write_text("mine")
    with pytest.raises(DaemonUnreachable, match="not a socket"):
        transport.bind(path)
    assert path.read_text() == "mine"


def test_a_socket_that_came_later_is_not_removed(tmp_path):
    path = tmp_path / "s"
    keep_inode = transport.bind(path)
    old = transport.identity(path)
    path.rename(tmp_path / "old")
    transport.bind(path).close()
    transport.remove(path, old)
    assert path.exists()
    transport.remove(path, transport.identity(path))
    assert not path.exists()
    keep_inode.close()


async def test_both_ends_know_whose_process_the_other_is(monkeypatch, tmp_path):
    seen: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()

    async def accept(reader, writer):
        seen.set_result(transport.peer_uid(writer))
        writer.close()

    server = await transport.listen(transport.bind(tmp_path / "s"), accept)
    _, writer = await transport.connect(tmp_path / "s")
    assert transport.peer_uid(writer) == os.getuid() == await seen
    uid = os.getuid()
    writer.close()
    monkeypatch.setattr(os, "getuid", lambda: uid + 1)
    seen = asyncio.get_running_loop().create_future()
    with pytest.raises(DaemonUnreachable, match="another user"):
        await transport.connect(tmp_path / "s")
    await seen
    server.close()
    await server.wait_closed()


@pytest.mark.parametrize(
    ("credentials", "uid"),
    [
        (struct.pack("=IIh", 0, 501, 1).ljust(76, b"\0"), 501),
        (struct.pack("=IIh", 7, 501, 1).ljust(76, b"\0"), None),  # a version we do not know
    ],
)
def test_the_credentials_of_macos_are_understood(credentials, uid):
    class Socket:
        def getsockopt(self, level, option, size):
            assert (level, option, size) == (0, 1, 76)
            return credentials

    assert transport._peer_uid_bsd(Socket()) == uid


def test_a_socket_that_says_nothing_of_its_peer_is_nobodys():
    class Writer:
        def get_extra_info(self, name):
            closed = socket.socket()
            closed.close()
            return closed

    assert transport.peer_uid(Writer()) is None


@pytest.fixture
def socket_at(tmp_path, monkeypatch):
    """Where a socket may be: names of tests are long, and a socket's may not be."""
    monkeypatch.chdir(tmp_path)
    return Path("s")


async def test_a_daemon_that_accepts_nobody_does_not_answer(socket_at):
    """As one that is stopped: its backlog is full, and the kernel knows of no peer."""
    with socket.socket(socket.AF_UNIX) as listener, contextlib.ExitStack() as callers:
        listener.bind(str(socket_at))
        listener.listen(0)
        with contextlib.suppress(BlockingIOError):
            while True:
                caller = callers.enter_context(socket.socket(socket.AF_UNIX))
                caller.setblocking(False)
                caller.connect(str(socket_at))
        with pytest.raises(transport.DaemonSilent, match="does not answer"):
            await transport.connect(socket_at, patience=0.05)
        # One that goes on accepting is waited for.
        waiting = asyncio.create_task(transport.connect(socket_at))
        await asyncio.sleep(0.05)
        listener.accept()[0].close()
        _, writer = await waiting
        writer.close()


async def test_a_peer_that_the_system_cannot_name_is_not_called_another_user(
    socket_at, monkeypatch
):
    monkeypatch.setattr(transport, "peer_uid", lambda writer: None)
    accepting = await transport.listen(transport.bind(socket_at), lambda _, writer: writer.close())
    with pytest.raises(DaemonUnreachable, match="is unknown"):
        await transport.connect(socket_at)
    await asyncio.sleep(0.01)  # accepted, and hung up on
    accepting.close()


async def test_many_may_call_before_the_daemon_looks(socket_at):
    accepting = await transport.listen(transport.bind(socket_at), lambda _, writer: writer.close())
    with contextlib.ExitStack() as callers:
        for _ in range(transport._BACKLOG):
            caller = callers.enter_context(socket.socket(socket.AF_UNIX))
            caller.setblocking(False)
            caller.connect(str(socket_at))
    await asyncio.sleep(0.01)  # accepted, and hung up on
    accepting.close()
