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

---The window to draw for: the current one if it shows the buffer, else another that does; nil if none does.
---@param buf integer
---@return integer?
function M.window_of(buf)
  local current = vim.api.nvim_get_current_win()
  return vim.api.nvim_win_get_buf(current) == buf and current or vim.fn.win_findbuf(buf)[1]
end

---The row of the cursor in the window to draw for; 0 if the buffer is in none.
---@param buf integer
---@return integer
function M.cursor_row(buf)
  local win = M.window_of(buf)
  return win and vim.api.nvim_win_get_cursor(win)[1] - 1 or 0
end

---The row of a window that is nearest to `row` and on the screen.
---@param win integer
---@param row integer
---@return integer
function M.in_view(win, row)
  local first, last = vim.fn.line("w0", win) - 1, vim.fn.line("w$", win) - 1
  return math.max(math.min(row, last), first)
end

---Columns that are free to the right of a line's text.
---@param win integer
---@param row integer
---@return integer
function M.room_after(win, row)
  local info = vim.fn.getwininfo(win)[1]
  return info.width - info.textoff - (vim.fn.virtcol({ row + 1, "$" }, false, win) - 1)
end

---Scroll the current window, if necessary, until rows `first` to `last` are in view with their virtual lines. What is
---higher than the window is shown from its first row.
---@param first integer
---@param last integer
function M.reveal(first, last)
  local is_last = last + 1 >= vim.api.nvim_buf_line_count(0)
  local function height(from) -- virtual lines below `last` count as above the next line
    local to = not is_last and last + 1 or nil
    return vim.api.nvim_win_text_height(0, {
      start_row = from,
      start_vcol = 0,
      end_row = to,
      end_vcol = to and 0,
    }).all
  end
  local room = vim.api.nvim_win_get_height(0)
  local top = vim.fn.line("w0") - 1
  if top <= first and height(top) <= room then
    return
  end
  top = first
  while top > 0 and first - top < vim.o.scrolloff + 2 and height(top - 1) <= room do
    top = top - 1 -- some lines before it, for context
  end
  vim.fn.winrestview({ topline = top + 1 })
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
