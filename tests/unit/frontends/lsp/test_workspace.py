"""Which projects the user trusts, and what of that reaches the daemon."""

from __future__ import annotations

import pytest

from editd.frontends.lsp.methods import WorkspaceParams
from editd.frontends.lsp.trusted_folders import TrustedFolders
from tests.unit.frontends.lsp.client import EVERYTHING, Editor, connected

SHOP, NESTED, OTHER = "file:///w/shop", "file:///w/shop/vendor", "file:///w/other%20one"


@pytest.mark.parametrize(
    ("said", "roots"),
    [
        # What the client said, in order → the roots for files in shop, vendor, other one, elsewhere.
        ([], ["", "", "", ""]),
        ([(True, "")], ["/w/shop", "/w/shop/vendor", "/w/other one", ""]),
        ([(True, ""), (False, "")], ["", "", "", ""]),
        ([(True, "/w/shop")], ["/w/shop", "/w/shop/vendor", "", ""]),
        ([(True, "/w/shop/"), (False, NESTED)], ["/w/shop", "", "", ""]),
        ([(True, ""), (False, OTHER)], ["/w/shop", "/w/shop/vendor", "", ""]),
        ([(True, "/w/shop"), (False, "")], ["", "", "", ""]),
        ([(True, "/x")], ["", "", "", "/x"]),
        ([(True, "/w/sho")], ["", "", "", ""]),
    ],
)
def test_nothing_is_trusted_until_it_is_said(said, roots):
    folders = [{"uri": uri, "name": "n"} for uri in (SHOP, NESTED, OTHER)]
    workspace = TrustedFolders.of({"workspaceFolders": folders})
    for trusted, root in said:
        workspace = workspace.with_trust(WorkspaceParams(trusted, root))
    files = [f"{SHOP}/src/a.py", f"{NESTED}/b.py", f"{OTHER}/c.py", "file:///x/d.py"]
    assert [workspace.trusted_root(uri) for uri in files] == roots
    for uri in ("untitled:Untitled-1", "", "file:///", "https://w/shop/a.py"):
        assert workspace.trusted_root(uri) == workspace.mention_root(uri) == ""


@pytest.mark.parametrize(
    ("folders", "trust", "roots"),
    [
        # The folders, and what the client said → the roots for a file in shop, one elsewhere, and a text without a file.
        ([SHOP], [(True, "")], ["/w/shop", "/w/shop", "/w/shop"]),
        ([SHOP], [(True, ""), (False, SHOP)], ["", "", ""]),
        ([SHOP], [], ["", "", ""]),
        ([], [(True, "")], ["", "", ""]),
        ([], [(True, "/x")], ["/x", "/x", "/x"]),
        ([SHOP, OTHER], [(True, "")], ["/w/shop", "", ""]),
        ([SHOP], [(True, "/x")], ["", "/x", ""]),
    ],
)
def test_an_instruction_names_files_of_the_only_folder(folders, trust, roots):
    known = TrustedFolders.of({"workspaceFolders": [{"uri": uri, "name": "n"} for uri in folders]})
    for trusted, root in trust:
        known = known.with_trust(WorkspaceParams(trusted, root))
    assert [known.mention_root(uri) for uri in (f"{SHOP}/a.py", "file:///x/d.py", "")] == roots


def test_what_was_said_of_a_folder_ends_when_it_is_closed():
    workspace = TrustedFolders.of({"rootUri": SHOP})
    workspace = workspace.with_trust(WorkspaceParams(trusted=True, root="/w/shop"))
    workspace = workspace.changed([OTHER], [SHOP])
    assert workspace.trusted_root(f"{SHOP}/a.py") == workspace.trusted_root(f"{OTHER}/a.py") == ""
    workspace = workspace.changed([SHOP], [])
    assert workspace.trusted_root(f"{SHOP}/a.py") == ""
    workspace = workspace.with_trust(WorkspaceParams(trusted=True))
    workspace = workspace.changed([NESTED], [])
    assert workspace.trusted_root(f"{NESTED}/a.py") == "/w/shop/vendor"


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        (f"{NESTED}/deep/b.py", "deep/b.py"),
        (f"{SHOP}/src/a%20b.py", "src/a b.py"),
        ("file:///elsewhere/c.py", "c.py"),
        ("untitled:Untitled-1", "Untitled-1"),
    ],
)
def test_a_file_is_called_by_its_path_in_its_project(uri, name):
    workspace = TrustedFolders().changed([SHOP, NESTED], [])
    assert workspace.name_in_prompt(uri) == name


async def root_of(client, uri):
    params = {"editToken": uri, "textDocument": {"uri": uri}, "instruction": "i"}
    answer, _ = client.start("editd/edit", params)
    fake = await client.engine.next_edit()
    fake.finish(hunks=[])
    await answer
    warmed, _ = client.start("editd/warmup", {"textDocument": {"uri": uri}})
    warmup = await client.engine.next_warmup()
    assert warmup.request.workspace_root == fake.request.workspace_root
    warmup.finish("cancelled")
    await warmed
    return fake.request.workspace_root


async def test_the_daemon_is_told_of_trusted_projects_alone():
    async with connected() as client:
        folders = [{"uri": SHOP, "name": "shop"}]
        result = await client.initialize(EVERYTHING, workspaceFolders=folders)
        assert result["capabilities"]["workspace"]["workspaceFolders"] == {
            "supported": True,
            "changeNotifications": True,
        }
        shop, other = f"{SHOP}/a.py", f"{OTHER}/b.py"
        Editor(client, "a\n", shop)
        Editor(client, "b\n", other)
        assert await root_of(client, shop) == ""
        client.notify("editd/workspace", {"trusted": True})
        assert await root_of(client, shop) == "/w/shop"
        assert await root_of(client, other) == ""
        event = {"added": [{"uri": OTHER, "name": "other"}], "removed": []}
        client.notify("workspace/didChangeWorkspaceFolders", {"event": event})
        assert await root_of(client, other) == "/w/other one"
        client.notify("editd/workspace", {"trusted": False, "root": OTHER})
        assert await root_of(client, other) == ""
        # Nonsense changes nothing.
        for wrong in ({"trusted": "yes"}, {"root": "/w"}, {"trusted": True, "root": "shop"}, None):
            client.notify("editd/workspace", wrong)
        assert await root_of(client, other) == ""
        # Nor do other settings of the editor, unless they speak of it.
        for settings, root in (({"lsp": {}}, "/w/shop"), ({"workspace": {"trusted": False}}, "")):
            client.notify("workspace/didChangeConfiguration", {"settings": {"editd": settings}})
            assert await root_of(client, shop) == root


@pytest.mark.parametrize(
    ("workspace", "root", "warning"),
    [
        ({"trusted": True}, "/w/shop", None),
        ({"trusted": True, "root": "/w"}, "/w/shop", None),
        ({"trusted": False}, "", None),
        ({"root": "/w/shop"}, "", "workspace must be"),
        ({"trusted": 1}, "", "workspace must be"),
        ("all", "", "workspace must be"),
        ({"trusted": True, "root": "shop"}, "", "workspace.root must be the absolute path"),
    ],
)
async def test_initialization_options_say_it_too(workspace, root, warning):
    async with connected() as client:
        await client.initialize(EVERYTHING, options={"workspace": workspace}, rootUri=SHOP)
        Editor(client, "a\n", f"{SHOP}/a.py")
        assert await root_of(client, f"{SHOP}/a.py") == root
        shown = [message["message"] for message in client.all("window/showMessage")]
        assert len(shown) == bool(warning)
        assert all(warning in message for message in shown)
