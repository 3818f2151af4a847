"""Text against text: documents, growing answers, settled hunks. No tokens, no LSP."""
