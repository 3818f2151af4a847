"""The process that keeps the model warm, one per user, and the clients that reach it."""
