"""The command line."""


def main() -> None:
    """Run ``editd``."""
    raise NotImplementedError
