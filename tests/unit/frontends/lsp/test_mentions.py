"""``editd/mentions``: names of the project that the user trusts, and of the open text itself."""

import pytest

from tests.unit.frontends.lsp.client import RpcError, connected
from tests.unit.frontends.lsp.engine import FakeEngine

INLINE = {"editToken": 1, "text": "x = 1\n", "path": "a.py"}


@pytest.mark.parametrize(
    ("trusted", "found"),
    [
        (True, [("loads.py", "file", None), ("load_cart", "definition", None),
                ("load_money", "definition", "loads.py")]),
        (False, [("load_cart", "definition", None)]),
    ],
)  # fmt: skip
async def test_only_what_is_trusted_is_looked_at(tmp_path, trusted, found):
    (tmp_path / "loads.py").write_text("def load_money(): ...\n")
    (tmp_path / "cart.py").write_text("on the disk\n")
    document = {"uri": (tmp_path / "cart.py").as_uri(), "version": 1}
    async with connected() as client:
        await client.initialize(rootUri=tmp_path.as_uri())
        client.notify("editd/workspace", {"trusted": trusted})
        opened = {**document, "languageId": "python", "text": "def load_cart(): ...\n"}
        client.notify("textDocument/didOpen", {"textDocument": opened})
        answer = await client.request("editd/mentions", {"prefix": "lo", "textDocument": document})
        assert [(x["name"], x["kind"], x.get("path")) for x in answer["mentions"]] == found
        with pytest.raises(RpcError, match="prefix"):
            await client.request("editd/mentions", {"textDocument": document})


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "project"
    root.mkdir()
    (root / "util.py").write_text("def helper(): ...\n")
    (tmp_path / "outside.py").write_text("x = 1\n")
    (root / "link.py").symlink_to(tmp_path / "outside.py")
    (root / "data.py").write_bytes(b"\0\1")
    (root / "long.py").write_text("x = 1\n" * 100_000)
    return root


@pytest.mark.parametrize("declared", [{}, {"root": True}])
async def test_an_inline_text_may_name_files_of_the_only_folder(project, declared):
    engine = FakeEngine()
    async with connected(engine.behind_a_door()) as client:
        await client.initialize({}, **({} if declared else {"rootUri": project.as_uri()}))
        trust = {"trusted": True, **({"root": str(project)} if declared else {})}
        client.notify("editd/workspace", trust)
        answer, _ = client.start("editd/edit", INLINE | {"instruction": "Use @util.py."})
        fake = await engine.next_edit()
        assert [item.text for item in fake.request.context] == ["def helper(): ...\n"]
        assert (fake.request.instruction, fake.request.workspace_root) == ("Use util.py.", "")
        fake.finish(hunks=[(1, 0, 1, ["x = 2\n"])])
        assert (await answer)["text"] == "x = 2\n"


@pytest.mark.parametrize(
    ("trusted", "name", "words"),
    [
        (False, "util.py", "trust its project (the setting workspace.trusted), or copy"),
        (True, "../outside.py", "lies outside of the project"),
        (True, "link.py", "lies outside of the project"),
        (True, "data.py", "is no text"),
        (True, "long.py", "longer than 512 kB"),
    ],
)
async def test_what_an_inline_text_may_not_name_is_refused(project, trusted, name, words):
    async with connected(FakeEngine().behind_a_door()) as client:
        await client.initialize({}, rootUri=project.as_uri())
        client.notify("editd/workspace", {"trusted": trusted})
        answer = await client.request("editd/edit", INLINE | {"instruction": f"Use @{name}."})
        assert answer["finish_reason"] == "refused"
        assert words in answer["message"]
