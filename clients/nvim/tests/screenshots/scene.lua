-- What happens in the picture: an edit is typed, and the screen is copied while hunks arrive and at the end.

vim.o.termguicolors = true
vim.o.number = true
vim.o.background = "dark"
vim.o.laststatus = 2
vim.o.statusline = " %f %m%=%{v:lua.require'editd'.statusline()}  %l:%c "
vim.o.shortmess = vim.o.shortmess .. "I"
vim.o.swapfile = false
pcall(vim.treesitter.start)
require("editd").setup({ cmd = { vim.env.EDITD, "lsp" } })

local function copy_screen(name, then_)
  vim.cmd.redraw()
  vim.defer_fn(function()
    vim.fn.system("tmux capture-pane -e -p -N > " .. vim.fn.shellescape(vim.env.SHOTS .. "/" .. name))
    if then_ then
      then_()
    end
  end, 40) -- until the terminal has drawn it
end

local taken = false
vim.api.nvim_create_autocmd("User", {
  pattern = "EditdHunks",
  callback = function(event)
    if event.data.running and event.data.open >= 4 and not taken then
      taken = true
      -- Here and now: the model does not wait for a photographer.
      vim.cmd.redrawstatus()
      vim.cmd.redraw()
      vim.uv.sleep(60)
      vim.fn.system("tmux capture-pane -e -p -N > " .. vim.fn.shellescape(vim.env.SHOTS .. "/streaming.ansi"))
    end
  end,
})
vim.api.nvim_create_autocmd("User", {
  pattern = "EditdFinished",
  callback = function()
    copy_screen("done.ansi", function()
      vim.fn.writefile({}, vim.env.SHOTS .. "/finished")
    end)
  end,
})
vim.defer_fn(function()
  vim.api.nvim_input(":Editd Convert all string formatting to f-strings.<CR>")
end, 500)
