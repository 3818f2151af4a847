"""Where in the buffer the output goes on, and how the rest of it reads after what was changed."""
