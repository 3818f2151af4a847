-- For `vim.lsp.enable("editd")` (Neovim 0.11 and newer): presets as code actions in every file.
return require("editd.client").lsp_config()
