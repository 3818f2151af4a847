"""Where text may go, and how the key is read."""

import os

import pytest

from editd import config_sources
from editd.errors import ConfigError
from editd.models.remote.server import address_of


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://models.example/v1", "https://models.example"),
        ("https://models.example:8443/v1/", "https://models.example:8443"),
        ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000"),
        ("http://localhost:8000", "http://localhost:8000"),
        ("http://[::1]:8000/v1", "http://[::1]:8000"),
    ],
)
def test_where_text_may_go(url, origin):
    address = address_of(url)
    assert address.origin == origin
    assert address.url == url.rstrip("/")


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://0.0.0.0:8000/v1", "http://127.0.0.1:8000/v1"),
        ("http://0.0.0.0/0.0.0.0", "http://127.0.0.1/0.0.0.0"),
        ("https://0.0.0.0:8000/v1/", "https://127.0.0.1:8000/v1"),
        ("http://[::]:8000/v1", "http://[::1]:8000/v1"),
        ("http://[0:0::0]/v1", "http://[::1]/v1"),
    ],
)
def test_every_address_is_this_machine(url, expected):
    """Servers print it when they listen on all addresses, and people paste it."""
    address = address_of(url)
    assert address.url == expected
    assert address.url.startswith(address.origin)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("", "model.url is not set"),
        ("models.example/v1", "must begin with https://"),
        ("ftp://models.example", "must begin with https://"),
        ("https://", "name a host"),
        ("https://user:secret@models.example/v1", "put the key into a file"),
        ("https://models.example/v1?key=secret", "put the key into a file"),
        ("https://models.example:port/v1", "not an address"),
        ("http://models.example/v1", "allow_plain_http"),
        ("http://10.0.0.7:8000/v1", "allow_plain_http"),
        ("http://127.0.0.1.models.example/v1", "allow_plain_http"),
        ("http://0.0.0.1:8000/v1", "allow_plain_http"),
    ],
)
def test_where_it_may_not(url, words):
    with pytest.raises(ConfigError, match=words) as refused:
        address_of(url)
    assert "secret" not in str(refused.value)


def test_plain_http_takes_a_yes():
    assert address_of("http://10.0.0.7:8000/v1", plain=True).origin == "http://10.0.0.7:8000"


def test_the_key_of_a_file_or_of_the_environment(tmp_path, monkeypatch):
    url, file = "https://models.example/v1", tmp_path / "key"
    assert address_of(url).headers == {}
    monkeypatch.setenv("EDITD_MODEL_KEY", " from-environment\n")
    assert address_of(url).key == "from-environment"
    file.write_text("from-file\nmore\n")
    file.chmod(0o600)
    address = address_of(url, str(file))
    assert address.headers == {"Authorization": "Bearer from-file"}
    assert "from-file" not in repr(address)


@pytest.mark.parametrize(
    ("content", "mode", "words"),
    [
        (b"k\n", 0o644, "can be read by others: chmod 600"),
        (b"k\n", 0o620, "can be read by others"),
        (b"\nk\n", 0o600, "first line is empty"),
        (b"k\xc3\xa9y\n", 0o600, "characters that are not allowed"),
        (None, 0, "No such file"),
    ],
)
def test_a_key_that_is_not_used(tmp_path, content, mode, words):
    file = tmp_path / "key"
    if content is not None:
        file.write_bytes(content)
        file.chmod(mode)
    with pytest.raises(ConfigError, match=words):
        address_of("https://models.example/v1", str(file))


def test_a_key_is_not_waited_for_in_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "key", 0o600)
    with pytest.raises(ConfigError, match="is not your file"):
        address_of("https://models.example/v1", str(tmp_path / "key"))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("engine", "remote"),
        ("url", "https://evil.example/v1"),
        ("key_file", "/tmp/key"),
        ("allow_plain_http", True),
    ],
)
def test_an_editor_and_so_a_workspace_sets_none_of_it(tmp_path, key, value):
    """What the user's own file says stays, whatever initialization options say."""
    file = tmp_path / "config.toml"
    file.write_text('[model]\nengine = "local"\nurl = "https://models.example/v1"\n')
    own = config_sources.resolve(None, {"EDITD_CONFIG": str(file)})
    told = config_sources.resolve({"model": {key: value}}, {"EDITD_CONFIG": str(file)})
    assert told.config == own.config
    (warning,) = told.warnings
    assert f"model.{key} is not taken from an editor" in warning
