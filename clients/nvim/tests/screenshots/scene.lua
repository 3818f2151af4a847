-- What happens in the pictures: an edit is typed, and the screen is copied while the model reads the file and while its
-- hunks arrive; they are rejected, and the screen is copied at the end of a second edit, which the model gets wrong.

vim.o.termguicolors = true
vim.o.number = true
vim.o.background = vim.env.BACKGROUND
vim.o.laststatus = 2
vim.o.shortmess = vim.o.shortmess .. "I"
vim.o.swapfile = false
pcall(vim.treesitter.start)
require("editd").setup({ cmd = { vim.env.EDITD, "lsp" } })

local EDITS = { "Wrap the body of __getattr__ in try/except.", "Convert the string formatting to f-strings." }
local LINES = { 61, 23 } -- where these edits begin
local asked_at, seconds = 0, {}

local function ask()
  local number = #seconds + 1
  vim.api.nvim_win_set_cursor(0, { LINES[number], 0 })
  vim.cmd("normal! zz")
  asked_at = vim.uv.hrtime()
  vim.api.nvim_input(":Editd " .. EDITS[number] .. "<CR>")
end

local copied = {}

---Copy the screen, once for each name.
local function copy_screen(name)
  if copied[name] then
    return
  end
  copied[name] = true
  vim.cmd.redrawstatus()
  vim.cmd.redraw()
  vim.uv.sleep(60) -- until the terminal has drawn it; the model does not wait for a photographer
  vim.fn.system("tmux capture-pane -e -p -N > " .. vim.fn.shellescape(vim.env.SHOTS .. "/" .. name .. ".ansi"))
end

---The dim text of the running edit.
local function progress()
  local ns = vim.api.nvim_create_namespace("editd")
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, { details = true })) do
    for _, chunk in ipairs(mark[4].virt_text or {}) do
      if chunk[1]:find("◂ editd", 1, true) then
        return chunk[1]
      end
    end
  end
  return ""
end

local watch = vim.uv.new_timer()
watch:start(
  0,
  20,
  vim.schedule_wrap(function()
    if progress():match("reading %d+ %%") then
      copy_screen("waiting")
    end
  end)
)
vim.api.nvim_create_autocmd("User", {
  pattern = "EditdHunks",
  callback = function(event)
    if event.data.running and event.data.open >= 2 then
      copy_screen("streaming")
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
        vim.defer_fn(ask, 300)
      else
        copy_screen("done")
        vim.fn.writefile(seconds, vim.env.SHOTS .. "/finished")
      end
    end, 300)
  end,
})
vim.defer_fn(ask, 500)
