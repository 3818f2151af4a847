"""The time of a pass of k tokens, by each way of running it, with real weights and with shapes."""
