"""Where in the buffer the output continues, and how the rest of it reads after the changes so far."""
