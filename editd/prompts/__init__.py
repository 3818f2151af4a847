"""From a request to the words that the model reads, and from its words to an answer."""
