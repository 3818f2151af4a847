"""``python -m editd.doors.lsp``: the language server without the command line."""

from editd.doors.lsp.server import main

if __name__ == "__main__":
    main()
