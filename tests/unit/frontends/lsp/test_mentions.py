"""``editd/mentions``: names of the project that the user trusts, and of the open text itself."""

import pytest

from tests.unit.frontends.lsp.client import RpcError, connected


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
