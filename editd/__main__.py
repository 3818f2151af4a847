"""``python -m editd``: the same program as the ``editd`` command."""

from editd.frontends.cli import main

if __name__ == "__main__":
    main()
