"""Weights, tokenizer, forward passes and their caches: the only package that knows a device."""
