"""What editd is measured with; none of it is installed."""
