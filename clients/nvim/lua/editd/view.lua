-- Keeps what the user sees where it is while the text or its virtual lines change.

local M = {}

local ns = vim.api.nvim_create_namespace("editd_view")

---Run `change`, then put the line that was at the top of each window back there.
---@param buf integer
---@param change fun()
function M.keep(buf, change)
  local windows = {}
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local view = vim.api.nvim_win_call(win, vim.fn.winsaveview)
    local row = math.min(view.topline, vim.api.nvim_buf_line_count(buf)) - 1
    windows[win] = {
      mark = vim.api.nvim_buf_set_extmark(buf, ns, row, 0, {}),
      topline = view.topline,
    }
  end
  local ok, problem = pcall(change)
  for win, was in pairs(windows) do
    local row = vim.api.nvim_buf_get_extmark_by_id(buf, ns, was.mark, {})[1]
    vim.api.nvim_buf_del_extmark(buf, ns, was.mark)
    -- At the top of the file one wants to see what comes to stand there.
    local topline = was.topline == 1 and 1 or (row or 0) + 1
    vim.api.nvim_win_call(win, function()
      if vim.fn.line("w0") ~= topline then
        vim.fn.winrestview({ topline = topline })
      end
    end)
  end
  if not ok then
    error(problem, 0)
  end
end

---Columns for text in the narrowest window of a buffer: virtual lines are cut there.
---@param buf integer
---@return integer
function M.width(buf)
  local width = vim.o.columns
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local info = vim.fn.getwininfo(win)[1]
    width = math.min(width, info.width - info.textoff)
  end
  return width
end

---Make room above the first line for `count` virtual lines, where it is at the top of a window:
---Neovim draws them, but leaves them outside.
---@param buf integer
---@param count integer
function M.show_above_first_line(buf, count)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    vim.api.nvim_win_call(win, function()
      local view = vim.fn.winsaveview()
      if view.topline == 1 and view.topfill < count then
        local room = math.max(vim.api.nvim_win_get_height(win) - vim.fn.line("."), 0)
        vim.fn.winrestview({ topline = 1, topfill = math.min(count, room) })
      end
    end)
  end
end

return M
