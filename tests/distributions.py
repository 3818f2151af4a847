"""The distribution that is sampled from, to hold draws against."""

import torch

from editd.models.sampling import all_candidates
from editd.models.torch.sampling import Tensors


def target_probs(logits, sampling):
    """``[rows, vocab_size]``, without limits, which depend on what stands before."""
    if sampling.greedy:
        return torch.nn.functional.one_hot(logits.argmax(-1), logits.shape[-1]).to(logits.dtype)
    lib = Tensors(logits.device)
    scores, token_ids, _ = all_candidates(logits / sampling.temperature, sampling, lib)
    return torch.zeros_like(logits).scatter_(1, token_ids, scores.softmax(dim=-1))
