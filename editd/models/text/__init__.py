"""Text and token ids: a model's tokenizer and chat template, for every backend. No device, no weights."""
