"""The requests of the language server: a file for each method, named after its last part."""
