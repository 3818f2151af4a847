-- A sketch before it is asked for: where its text comes from, and which buffer it is for.

local M = {}

local CLIPBOARD = "+"

---The text of a register, or why there is none.
---@param name? string absent: the clipboard
---@return string? sketch, string? problem
function M.of_register(name)
  name = (name or "") == "" and CLIPBOARD or name
  if not name:match("^[%w\"%-*+_/.:%%#]$") then
    return nil, ("%q is no register; for lines of this buffer use a range."):format(name)
  end
  local text = vim.fn.getreg(name)
  if vim.trim(text) ~= "" then
    return text
  elseif name == CLIPBOARD then
    return nil, "The clipboard holds no text: copy the answer, or name a register (:EditdApply a)."
  end
  return nil, ("Register %s holds no text."):format(name)
end

---The text of lines, or why there is none.
---@param buf integer
---@param lines [integer, integer] 0-based, end exclusive
---@return string? sketch, string? problem
function M.of_lines(buf, lines)
  local text = table.concat(vim.api.nvim_buf_get_lines(buf, lines[1], lines[2], false), "\n") .. "\n"
  if vim.trim(text) == "" then
    return nil, "These lines are empty."
  end
  return text
end

---Find the buffer that lines of `source` are for, and go there. Of several the user chooses.
---@param source integer
---@param file? string absent: one of the files that are open
---@param is_editable fun(buf: integer): boolean
---@param done fun(buf: integer?, problem?: string)
function M.target(source, file, is_editable, done)
  local function go(buf)
    local window = vim.fn.bufwinid(buf)
    if window ~= -1 then
      vim.api.nvim_set_current_win(window)
    else
      vim.cmd.sbuffer(buf)
    end
    done(buf)
  end
  if (file or "") ~= "" then
    local buf = vim.fn.bufadd(vim.fn.fnamemodify(file, ":p"))
    vim.fn.bufload(buf)
    vim.bo[buf].buflisted = true
    return go(buf)
  end
  local open = vim.tbl_filter(function(buf)
    return buf ~= source
      and vim.bo[buf].buflisted
      and vim.api.nvim_buf_is_loaded(buf)
      and is_editable(buf)
  end, vim.api.nvim_list_bufs())
  if #open == 0 then
    return done(nil, "No other file is open: name the file to change.")
  elseif #open == 1 then
    return go(open[1])
  end
  vim.ui.select(open, {
    prompt = "editd: apply to",
    format_item = function(buf)
      return vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buf), ":~:.")
    end,
  }, function(buf)
    if buf then
      go(buf)
    end
  end)
end

return M
