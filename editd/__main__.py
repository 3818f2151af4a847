"""``python -m editd``: the same program as the ``editd`` command."""

from editd.doors.cli import main

if __name__ == "__main__":
    main()
