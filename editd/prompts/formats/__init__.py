"""One short file for each way of telling a model an edit; ``prompts.registry`` finds them by name."""
