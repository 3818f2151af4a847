"""The language server, one process per editor: the only package that knows LSP; never loads torch."""
