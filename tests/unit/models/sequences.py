"""What tests of sequences share: seeded ids, a sequence that has read a prompt, the true choices."""

import random

import torch


def random_ids(count, seed=0):
    chance = random.Random(seed)
    return [chance.randrange(3, 500) for _ in range(count)]


def opened(target, prompt_ids):
    """A sequence that has seen ``prompt_ids``, all of them."""
    sequence = target.open([*prompt_ids, 3])
    sequence.prefill(prompt_ids[sequence.length :])
    return sequence


@torch.inference_mode()
def choices_without_cache(model, token_ids, rows):
    """Greedy choices after the last ``rows`` tokens, by one pass without any cache."""
    logits = model(input_ids=torch.tensor([token_ids]), use_cache=False).logits[0]
    return logits[-rows:].argmax(-1).tolist()
