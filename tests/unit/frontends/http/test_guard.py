"""Who may ask, and what is written down of it."""

import asyncio
import itertools
import logging

import pytest
from starlette.datastructures import Headers

from editd.errors import UsageError
from editd.frontends.http.answers import HttpError
from editd.frontends.http.guard import LOOPBACK_HOSTS, Access
from editd.frontends.http.serving import ListenAddress, bind, read_key
from tests.unit.frontends.http.serving import chat, say_result, serving

PAGE = "http://localhost:3000"


PAGES = [
    ({}, 200),
    ({"Host": "localhost"}, 200),
    ({"Host": "LOCALHOST:8431"}, 200),
    ({"Host": "[::1]:8431"}, 200),
    ({"Host": "127.0.0.1:1"}, 200),
    ({"Host": "evil.example"}, 403),
    ({"Host": "evil.example:8431"}, 403),
    ({"Host": "localhost.evil.example"}, 403),
    ({"Host": "127.0.0.1.evil.example"}, 403),
    ({"Host": ""}, 403),
    ({"Host": "[::1"}, 403),
    ({"Origin": PAGE}, 403),
    ({"Origin": "null"}, 403),
    ({"Origin": "http://evil.example"}, 403),
    ({"Authorization": "Bearer anything"}, 200),
]


async def test_a_page_that_found_the_port_gets_nowhere():
    async with serving() as client:
        for (headers, status), path in itertools.product(PAGES, ("/v1/models", "/nothing")):
            response = await client.get(path, headers=headers)
            assert response.status_code == (404 if (path, status) == ("/nothing", 200) else status)
            assert "access-control-allow-origin" not in response.headers


async def test_a_page_that_was_named_may_ask():
    async with serving(access=Access(origins=(PAGE,), key="k")) as client:
        asked = {"Origin": PAGE, "Access-Control-Request-Method": "POST"}
        asked["Access-Control-Request-Headers"] = "authorization,content-type"
        preflight = await client.options("/v1/chat/completions", headers=asked)
        assert preflight.status_code == 200
        assert preflight.headers["access-control-allow-origin"] == PAGE
        headers = {"Origin": PAGE, "Authorization": "Bearer k"}
        response = await client.get("/v1/models", headers=headers)
        assert response.headers["access-control-allow-origin"] == PAGE
        refused = await client.get("/v1/models", headers={**headers, "Origin": "http://b.example"})
        assert refused.status_code == 403


KEYS = [
    ("Bearer right", 200),
    ("bearer  right", 200),
    ("Bearer wrong", 401),
    ("Bearer righ", 401),
    ("Bearer", 401),
    ("Basic right", 401),
    ("right", 401),
    (None, 401),
    ("Bearer \xff", 401),
]


async def test_the_key_is_asked_for_where_there_is_one():
    async with serving(access=Access(key="right")) as client:
        for header, status in KEYS:
            headers = {} if header is None else {"Authorization": header.encode("latin-1")}
            response = await client.get("/v1/models", headers=headers)
            assert response.status_code == status, header
            lost = await client.get("/nothing", headers=headers)
            assert lost.status_code == (404 if status == 200 else 401)
            if status == 401:
                error = response.json()["error"]
                assert (error["code"], error["type"]) == ("invalid_api_key", "authentication_error")
        assert (await client.get("/health")).status_code == 200


@pytest.mark.parametrize(
    ("host", "hosts"),
    [
        ("127.0.0.1", LOOPBACK_HOSTS),
        ("::1", LOOPBACK_HOSTS),
        ("127.0.0.2", LOOPBACK_HOSTS | {"127.0.0.2"}),
        ("localhost", LOOPBACK_HOSTS),
        ("0.0.0.0", None),
        ("::", None),
        ("192.168.1.5", None),
        ("workstation.lan", None),
    ],
)
def test_another_address_than_the_loopback_needs_a_key(host, hosts):
    place = ListenAddress(host, 1)
    place.check("key")
    if hosts is None:
        with pytest.raises(UsageError, match="can be reached from other machines"):
            place.check("")
        assert place.hosts == frozenset()  # the key is what protects there
    else:
        place.check("")
        assert place.hosts == hosts


def test_a_socket_is_this_user_s_alone_and_replaces_none_that_is_served(tmp_path):
    path = tmp_path / "s"
    first = bind(ListenAddress(path=path))
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(UsageError, match="Another server uses"):
        bind(ListenAddress(path=path))
    first.close()
    bind(ListenAddress(path=path)).close()
    file = tmp_path / "file"
    file.write_text("mine")
    with pytest.raises(UsageError, match="not a socket"):
        bind(ListenAddress(path=file))
    assert file.read_text() == "mine"
    with pytest.raises(UsageError, match="cannot be created"):
        bind(ListenAddress(path=tmp_path / "no" / "folder"))


def test_a_port_that_is_taken_is_named():
    taken = bind(ListenAddress())
    port = taken.getsockname()[1]
    with pytest.raises(UsageError, match=rf"127\.0\.0\.1 port {port} is not available"):
        bind(ListenAddress(port=port))
    taken.close()
    with pytest.raises(UsageError, match="not an address"):
        bind(ListenAddress("no.such.host.invalid", 1))


def test_the_key_comes_from_a_file_or_the_environment(tmp_path, monkeypatch):
    file = tmp_path / "key"
    monkeypatch.delenv("EDITD_API_KEY", raising=False)
    assert read_key(None) == ""
    monkeypatch.setenv("EDITD_API_KEY", " secret\n")
    assert read_key(None) == "secret"
    file.write_text("other \nrest")
    assert read_key(str(file)) == "other"
    for content in (b"", b"\nkey", b"\xff"):
        file.write_bytes(content)
        with pytest.raises(UsageError, match="key"):
            read_key(str(file))
    with pytest.raises(UsageError, match="cannot be read"):
        read_key(str(tmp_path / "none"))


async def test_nothing_of_a_text_is_logged(caplog):
    caplog.set_level(logging.DEBUG)
    secret = "hunter2"
    async with serving(access=Access(key="k-hunter2")) as client:
        headers = {"Authorization": "Bearer k-hunter2"}
        messages = [{"role": "user", "content": secret}]
        asking = asyncio.create_task(
            client.post("/v1/chat/completions", json={"messages": messages}, headers=headers)
        )
        say_result(await client.engine.next_completion(), secret)
        assert secret in (await asking).text
        broken = asyncio.create_task(
            client.post("/v1/chat/completions", json={"messages": messages}, headers=headers)
        )
        (await client.engine.next_completion()).say(RuntimeError(f"a defect with {secret}"))
        response = await broken
        assert (response.status_code, response.json()["error"]["code"]) == (500, "internal")
        await client.get(f"/{secret}?{secret}", headers={**headers, "X": secret})
        await client.request("GETHUNTER2", "/health", headers=headers)
        await client.post("/v1/completions", content=f"{{{secret}", headers=headers)
    ours = [r.getMessage() for r in caplog.records if r.name.startswith(("editd", "uvicorn"))]
    assert any("POST /v1/chat/completions: 200" in line for line in ours)
    assert any("a defect: RuntimeError" in line for line in ours)
    assert not any(secret in line.lower() for line in ours)


async def test_many_ask_at_once_and_each_gets_its_own_answer():
    async with serving() as client:
        asked = [
            asyncio.create_task(chat(client, messages=[{"role": "user", "content": str(number)}]))
            for number in range(20)
        ]
        for _ in asked:
            fake = await client.engine.next_completion()
            say_result(fake, fake.request.messages[0].content)
        for number, asking in enumerate(asked):
            assert (await asking).json()["choices"][0]["message"]["content"] == str(number)


def test_other_names_of_this_machine_may_be_allowed():
    place = ListenAddress(names=("Host.Docker.Internal",))
    access = Access(place.hosts)
    for name in ("host.docker.internal:8431", "127.0.0.1:1", "localhost"):
        access.check(Headers({"host": name}))
    with pytest.raises(HttpError, match="allow the name with --allow-host"):
        access.check(Headers({"host": "evil.example"}))
