"""Messages in the form of apply models: the answer is the file."""

import asyncio
import queue
import threading

import pytest

from editd.apply import resolve as answering
from editd.apply.resolve import resolve_sketch
from editd.daemon.framing import pack, unpack
from editd.diff.hunk import Hunk
from editd.errors import ModelUnsupported, UsageError
from editd.frontends.http.apply_chats import apply_request
from editd.messages import ChatMessage
from editd.messages.options import WAYS
from tests.unit.frontends.http.serving import events, serving

CODE = "def total(cart):\n    price = 0\n    return price\n"
SKETCH = "# ... existing code ...\n    price = 0\n    price += 1\n    return price\n"
MERGED = CODE.replace("    return", "    price += 1\n    return")
FASTAPPLY = """\
Merge all changes from the <update> snippet into the <code> below.
{instruction}- Preserve the code's structure, order, comments, and indentation exactly.
- Output only the updated code, enclosed within <updated-code> and </updated-code> tags.
- Do not include any additional text, explanations, placeholders, ellipses, or code fences.

<code>{code}</code>

<update>{sketch}</update>

Provide the complete updated code."""
OSMOSIS = "<code>\n{code}\n</code>\n\n\n<edit>\n{sketch}\n</edit>"
OSMOSIS_SYSTEM = "You apply an edit.\n\nOutput the code wrapped in <code> tags.\n"


def user(text):
    return ChatMessage("user", text)


# What a client writes → the instruction, and what stands around the file in the answer.
FORMS = {
    "morph": ([user(f"<instruction>I add.</instruction>\n<code>{CODE}</code>\n<update>{SKETCH}</update>")], "I add.", "", ""),
    "avante": ([user(f"<instructions>I add.</instructions>\n<code>{CODE}</code>\n<update>{SKETCH}</update>")], "I add.", "", ""),
    "continue": ([user(f"<code>{CODE}</code>\n<update>{SKETCH}</update>")], "", "", ""),
    "with a system message": ([ChatMessage("system", "Merge."), user(f"\n<code>{CODE}</code><update>{SKETCH}</update>\n")], "", "", ""),
    "fastapply": ([user(FASTAPPLY.format(instruction="", code=CODE, sketch=SKETCH))], "", "<updated-code>", "</updated-code>"),
    "opencode-fast-apply": ([user(FASTAPPLY.format(instruction="Instruction: I add,\nas asked.\n", code=CODE, sketch=SKETCH))], "I add,\nas asked.", "<updated-code>", "</updated-code>"),
    "osmosis": ([ChatMessage("system", OSMOSIS_SYSTEM), user(OSMOSIS.format(code=CODE, sketch=SKETCH))], "", "<code>\n", "\n</code>"),
    "osmosis, begun": ([ChatMessage("system", OSMOSIS_SYSTEM), user(OSMOSIS.format(code=CODE, sketch=SKETCH)), ChatMessage("assistant", "<code>")], "", "", ""),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_each_form_is_read_byte_for_byte(form):
    messages, instruction, before, after = FORMS[form]
    asked = apply_request(messages)
    assert (asked.text, asked.sketch, asked.instruction) == (CODE, SKETCH, instruction)
    assert asked.answer("x") == f"{before}x{after}"


@pytest.mark.parametrize(
    "text",
    [
        "Hello!",
        f"Please apply:\n<code>{CODE}</code>\n<update>{SKETCH}</update>",
        f"<code>{CODE}</code>\n<update>{SKETCH}</update>\nThank you.",
        f"<code>{CODE}</code>",
        f"<update>{SKETCH}</update>\n<code>{CODE}</code>",
        FASTAPPLY.format(instruction="", code=CODE, sketch=SKETCH) + " And explain.",
    ],
)
def test_anything_beside_the_form_makes_it_a_chat(text):
    assert apply_request([user(text)]) is None


def test_only_the_last_message_of_the_user_counts():
    form = FORMS["morph"][0][0]
    assert apply_request([form, ChatMessage("assistant", "x"), user("Thanks. Why?")]) is None
    assert apply_request([user("Hi"), ChatMessage("assistant", "x"), form]).text == CODE


def test_a_file_that_holds_the_tags_is_not_cut_by_guess():
    odd = "<p><code>x</code> and <update>y</update></p>\n"
    assert apply_request([user(f"<code>{odd}</code>\n<update>{SKETCH}</update>")]).text == odd
    odd = "<code>x</code>\n<update>y</update>\n"
    with pytest.raises(UsageError, match="is ambiguous"):
        apply_request([user(f"<code>{odd}</code>\n<update>{SKETCH}</update>")])


def body(form, **more):
    messages = [{"role": m.role, "content": m.content} for m in FORMS[form][0]]
    return {"model": "editd-Fast-Apply", "messages": messages, **more}


@pytest.mark.parametrize("form", FORMS)
async def test_a_certain_merge_asks_no_model(form):
    _, _, before, after = FORMS[form]
    async with serving() as client:
        for stream in (False, True):
            response = await client.post("/v1/chat/completions", json=body(form, stream=stream))
            if stream:
                said = [e["choices"][0]["delta"].get("content", "") for e in events(response)[:-1]]
                assert "".join(said) == before + MERGED + after
                own = events(response)[-2]["editd"]
            else:
                told = response.json()
                assert told["choices"][0]["message"]["content"] == before + MERGED + after
                assert told["usage"]["total_tokens"] == 0
                own = told["editd"]
            assert (own["written_by"], own["summary"]) == (
                "text",
                "Merged without a model, one reading.",
            )
            assert [way["name"] for way in own["ways"]] == ["model"]
        assert client.engine.edits.empty()


async def test_what_an_instruction_names_is_not_read():
    sketch = f"<instruction>As in @/etc/passwd.</instruction>\n<code>{CODE}</code>\n<update>{SKETCH}</update>"
    messages = [{"role": "user", "content": sketch}]
    async with serving() as client:
        response = await client.post("/v1/chat/completions", json={"messages": messages})
    assert response.json()["choices"][0]["message"]["content"] == MERGED


async def test_another_way_is_taken_if_a_request_names_it():
    async with serving() as client:
        ask = body("morph", editd={"way": "model"})
        asking = asyncio.create_task(client.post("/v1/chat/completions", json=ask))
        fake = await client.engine.next_edit()
        assert fake.request.options.way == "model"
        noted = Hunk(1, 1, 1, ("    price = 1\n",), note="It is short.")
        fake.finish(hunks=[noted], ways=WAYS[-2:-1])
        own = (await asking).json()["editd"]
        assert (own["written_by"], own["notes"]) == ("model", ["line 2: It is short."])
        assert own["ways"] == [{"name": "again", "title": "Ask again", "needs_model": True}]
        chat = {"messages": [{"role": "user", "content": "Hi"}], "editd": {"way": "again"}}
        for wrong, words in (
            (body("morph", editd={"way": "best"}), "editd"),
            (body("morph", editd={"way": "reading"}), "no other way"),
            (chat, "for merges"),
        ):
            response = await client.post("/v1/chat/completions", json=wrong)
            assert response.status_code in (400, 422)
            assert words in response.json()["error"]["message"]
        assert client.engine.edits.empty()


DOUBT = "# ...\n    price = 0\n    price += 1\n# ...\n"  # where does it end?
ELSEWHERE = "    nothing = of(it)\n"


async def test_a_merge_in_doubt_is_the_model_s_and_is_judged():
    async with serving() as client:
        form = "<code>{}</code>\n<update>{}</update>"
        ask = {"messages": [{"role": "user", "content": form.format(CODE, DOUBT)}]}
        asking = asyncio.create_task(client.post("/v1/chat/completions", json=ask))
        fake = await client.engine.next_edit()
        assert (fake.request.text, fake.request.sketch) == (CODE, DOUBT)
        assert resolve_sketch(fake.request) is fake.request  # the engine does not merge it again
        assert unpack(pack(fake.request)) == fake.request
        fake.finish(hunks=[(1, 1, 1, ["    price = 1\n"])])
        told = (await asking).json()
        assert told["choices"][0]["message"]["content"] == CODE.replace("= 0", "= 1")
        assert told["usage"]["completion_tokens"] == 7
        asking = asyncio.create_task(client.post("/v1/chat/completions", json=ask))
        gone = Hunk(1, 0, 3, (), suspect="all of it is gone")
        fake = await client.engine.next_edit()
        notice = f"The sketch is ambiguous, so the model merges it: {fake.request.doubt.reason}"
        fake.finish(hunks=[gone], notices=(notice,))
        response = await asking
        assert response.status_code == 422
        message = response.json()["error"]["message"]
        assert "all of it is gone" in message
        assert "of the sketch" in message  # what was in doubt
        response = await client.post("/v1/chat/completions", json={**ask, "merge": "certain"})
        assert response.status_code == 422  # nor if nothing but the only text is wanted
        other = {"messages": [{"role": "user", "content": form.format(CODE, ELSEWHERE)}]}
        response = await client.post("/v1/chat/completions", json=other)
        assert response.status_code == 422  # and no model is asked where none could know
        assert client.engine.edits.empty()


async def test_nobody_waits_while_a_large_sketch_is_merged(monkeypatch):
    done, begun = threading.Event(), queue.SimpleQueue()

    def slow(request):
        begun.put(request)
        assert done.wait(60), "the event loop waits for the merge"
        return resolve_sketch(request)

    monkeypatch.setattr(answering, "resolve_sketch", slow)
    ask = {
        "messages": [
            {
                "role": "user",
                "content": f"<code>{'#' * 20_000}\n{CODE}</code><update>{SKETCH}</update>",
            }
        ]
    }
    async with serving() as client:
        asking = [
            asyncio.create_task(client.post("/v1/chat/completions", json=ask)) for _ in range(2)
        ]
        for _ in asking:
            await asyncio.to_thread(begun.get)
        assert (await client.get("/health")).status_code == 200
        for task in asking:
            task.cancel()
        assert (await client.get("/health")).status_code == 200
        done.set()
        response = await client.post("/v1/chat/completions", json=ask)
        assert response.status_code == 200


async def test_a_sketch_has_a_limit():
    text = "x" * (2 << 20)
    ask = {
        "messages": [{"role": "user", "content": f"<code>{CODE}</code><update>{text}y</update>"}]
    }
    async with serving() as client:
        response = await client.post("/v1/chat/completions", json=ask)
        assert response.status_code == 400
        assert "may have 2,097,152" in response.json()["error"]["message"]


async def test_without_a_model_a_doubt_says_what_is_ambiguous_and_no_package():
    sketch = "# ...\n    price = 0\n    y = 1\n# ...\n"
    async with serving() as client:
        for finish in (False, True):
            words = f"<code>{CODE}</code>\n<update>{sketch}</update>"
            body = {"messages": [{"role": "user", "content": words}]}
            asking = asyncio.create_task(client.post("/v1/chat/completions", json=body))
            missing = ModelUnsupported("This model needs PyTorch: pip install 'editd[torch]'.")
            fake = await client.engine.next_edit()
            if finish:
                fake.finish("error", error=(missing.code, str(missing)))
            else:
                fake.say(missing)
            answer = await asking
            assert answer.status_code == 422
            message = answer.json()["error"]["message"]
            assert "“y = 1” (line 3 of the sketch) is not in the file" in message
            assert "No model is set up that could decide it." in message
            assert "pip" not in message
