-- What happens in the pictures: one edit is typed, and the screen is copied while its hunks arrive; they are rejected,
-- and the screen is copied at the end of a second edit, which the model gets wrong.

vim.o.termguicolors = true
vim.o.number = true
vim.o.background = "dark"
vim.o.laststatus = 2
vim.o.cmdheight = 3 -- what is said at the end has three lines
vim.o.statusline = " %f %m%=%{v:lua.require'editd'.statusline()}  %l:%c "
vim.o.shortmess = vim.o.shortmess .. "I"
vim.o.swapfile = false
pcall(vim.treesitter.start)
require("editd").setup({ cmd = { vim.env.EDITD, "lsp" } })

local EDITS = { "Wrap the body of __getattr__ in try/except.", "Convert the string formatting to f-strings." }
local LINES = { 60, 23 } -- where these edits begin
local asked_at, seconds = 0, {}

local function ask()
  local number = #seconds + 1
  vim.api.nvim_win_set_cursor(0, { LINES[number], 0 })
  vim.cmd("normal! zz")
  asked_at = vim.uv.hrtime()
  vim.api.nvim_input(":Editd " .. EDITS[number] .. "<CR>")
end

local function copy_screen(name)
  vim.cmd.redrawstatus()
  vim.cmd.redraw()
  vim.uv.sleep(60) -- until the terminal has drawn it; the model does not wait for a photographer
  vim.fn.system("tmux capture-pane -e -p -N > " .. vim.fn.shellescape(vim.env.SHOTS .. "/" .. name))
end

local taken = false
vim.api.nvim_create_autocmd("User", {
  pattern = "EditdHunks",
  callback = function(event)
    if event.data.running and event.data.open >= 2 and not taken then
      taken = true
      copy_screen("streaming.ansi")
    end
  end,
})
vim.api.nvim_create_autocmd("User", {
  pattern = "EditdFinished",
  callback = function()
    table.insert(seconds, ("%.1f s: %s"):format((vim.uv.hrtime() - asked_at) / 1e9, EDITS[#seconds + 1]))
    vim.defer_fn(function()
      if #seconds < #EDITS then
        vim.cmd("EditdReject!")
        vim.fn.system("tmux resize-window -x 138 -y 40") -- the mark is a long line
        vim.defer_fn(ask, 300)
      else
        copy_screen("done.ansi")
        vim.fn.writefile(seconds, vim.env.SHOTS .. "/finished")
      end
    end, 300)
  end,
})
vim.defer_fn(ask, 500)
