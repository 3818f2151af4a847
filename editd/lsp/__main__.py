"""``python -m editd.lsp``: the language server without the command line."""

from editd.lsp.server import main

if __name__ == "__main__":
    main()
