"""A pretended vLLM: its runner's batch and requests, and a model that writes what it was told to.

Requests come and go, prompts are read in chunks, requests are preempted; drafts are verified as
vLLM's greedy rejection sampler does it. Knows of ``editd_vllm`` what vLLM knows: ``propose``.
"""

from types import SimpleNamespace

import pytest

from editd.decode.costs import GPU_SHAPE, RoundCosts
from editd.models.text.codec import ModelCodec
from editd_vllm import edit, inside, proposer
from tests import tiny

CODEC = ModelCodec(tiny.byte_level_tokenizer())


class Clock:
    """Stands still but for the steps: what a test sees does not hang on the machine."""

    def __init__(self):
        self.now = 1.0

    def perf_counter(self):
        return self.now

    thread_time = perf_counter


@pytest.fixture
def make_proposer(monkeypatch):
    """Proposers of a vLLM that is not there."""
    clock = Clock()
    monkeypatch.setattr(proposer, "time", clock)
    monkeypatch.setattr(edit, "time", clock)

    def make(window=64, context=4096):
        for name, function in {
            "check": lambda: None,
            "bind": lambda _class: None,
            "codec": lambda _config: CODEC,
            "limits": lambda _config: inside.Limits(window, context),
        }.items():
            monkeypatch.setattr(inside, name, function)
        made = proposer.Proposer(None)
        made.clock = clock
        return made

    return make


class Server:
    """Steps of a batch, each as vLLM's V1 runner takes it. shape: what a step of so many tokens costs."""

    def __init__(self, proposer, shape=GPU_SHAPE):
        self.proposer = proposer
        self._costs = RoundCosts(shape, [(1, 0.01)])
        self.requests = {}  # the runner's
        self.input_batch = SimpleNamespace(req_ids=[])
        self.written = {}
        self._texts, self._drafts, self._unread = {}, {}, {}
        self.num_steps = self.num_drafted = 0

    def add(self, name, prompt, text, *, chunks=1, max_tokens=None, **xargs):
        """A request to which the model answers ``text``; its prompt takes so many steps."""
        ids = CODEC.encode(text)
        self._texts[name] = ids
        self._unread[name] = chunks
        prompt_ids = CODEC.prompt_ids(prompt)
        params = SimpleNamespace(extra_args=xargs or None, max_tokens=max_tokens or len(ids))
        self.requests[name] = SimpleNamespace(
            req_id=name, prompt_token_ids=prompt_ids, output_token_ids=[], sampling_params=params
        )
        self.input_batch.req_ids.append(name)
        return ids[:max_tokens]

    def preempt(self, name):
        """Take a request out of the batch; ``resume`` has it read its tokens again."""
        self.input_batch.req_ids.remove(name)
        self._drafts.pop(name, None)

    def resume(self, name):
        self.input_batch.req_ids.append(name)
        self._unread[name] = 2

    def step(self):
        """One pass; returns the drafts."""
        names, sampled = list(self.input_batch.req_ids), []
        verified = {name: self._drafts[name] for name in names if self._drafts.get(name)}
        for name in names:
            self._unread[name] -= 1
            sampled.append([] if self._unread[name] > 0 else self._write(name))
        scheduled = SimpleNamespace(
            total_num_scheduled_tokens=len(names) + sum(map(len, verified.values())),
            scheduled_spec_decode_tokens=verified,
        )
        states = [self.requests[name] for name in names]
        lengths = [len(s.prompt_token_ids) + len(s.output_token_ids) for s in states]
        self.proposer.clock.now += self._costs.seconds(scheduled.total_num_scheduled_tokens, 0)
        self.proposer.step = inside.Step(self, scheduled)
        drafts = self.proposer.propose(sampled, lengths, None, slot_mappings=None)
        assert len(drafts) == len(names)
        self._drafts = dict(zip(names, drafts, strict=True))
        self.num_steps += 1
        self.num_drafted += sum(map(len, drafts))
        for name in names:
            if len(self.requests[name].output_token_ids) >= self._most(name):
                self.finish(name)
        return self._drafts

    def finish(self, name):
        self.written[name] = self.requests.pop(name).output_token_ids
        self.input_batch.req_ids.remove(name)

    def run(self):
        """To the end of all requests: what was written, by name."""
        while self.input_batch.req_ids:
            self.step()
        return self.written

    def _most(self, name):
        return min(len(self._texts[name]), self.requests[name].sampling_params.max_tokens)

    def _write(self, name):
        output, text = self.requests[name].output_token_ids, self._texts[name]
        draft, added = self._drafts.get(name, []), []
        for at in range(len(output), self._most(name)):
            added.append(text[at])
            if len(added) > len(draft) or draft[len(added) - 1] != text[at]:
                break
        output += added
        return added
