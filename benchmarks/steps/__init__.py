"""What a pass of k tokens costs, by each way of running it, of real weights and of shapes."""
