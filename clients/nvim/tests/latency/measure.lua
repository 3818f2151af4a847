-- Types `:Editd ...` again and again, and writes the milliseconds from Enter to the end of the redraw that
-- first shows a hunk. The command line is open for half a second before, as when a person types: the warm-up is
-- part of the product.

require("editd").setup({ cmd = { vim.env.EDITD, "lsp" }, messages = false })
local runs = tonumber(vim.env.RUNS)
local figures = {}
local entered ---@type integer?
local ns = vim.api.nvim_create_namespace("editd")

local function next_run()
  if #figures >= runs + 3 then
    vim.fn.writefile(vim.list_slice(figures, 4), vim.env.OUT .. ".tmp") -- the first three load and warm up
    vim.uv.fs_rename(vim.env.OUT .. ".tmp", vim.env.OUT)
    return
  end
  vim.api.nvim_input(":Editd upper case")
  vim.defer_fn(function()
    vim.api.nvim_input("<CR>")
  end, 500)
end

vim.api.nvim_create_autocmd("CmdlineLeave", {
  callback = function()
    if vim.fn.getcmdline():find("^Editd ") then
      entered = vim.uv.hrtime()
    end
  end,
})
---Whether a hunk's new lines stand in the part of the file that is on the screen.
local function is_hunk_visible()
  local marks = vim.api.nvim_buf_get_extmarks(0, ns, { 0, 0 }, { 30, 0 }, { details = true })
  return vim.iter(marks):any(function(mark)
    return mark[4].virt_lines ~= nil
  end)
end

vim.api.nvim_set_decoration_provider(vim.api.nvim_create_namespace("latency"), {
  on_end = function()
    if entered and is_hunk_visible() then
      figures[#figures + 1] = ("%.2f"):format((vim.uv.hrtime() - entered) / 1e6)
      entered = nil
    end
  end,
})
vim.api.nvim_create_autocmd("User", {
  pattern = "EditdFinished",
  callback = function()
    vim.defer_fn(function()
      require("editd").reject({ all = true })
      vim.defer_fn(next_run, 50)
    end, 50)
  end,
})
vim.defer_fn(next_run, 300)
