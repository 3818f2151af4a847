-- The default highlight groups of the preview; a colour scheme or the user may define others.

local M = {}

---@param dark boolean
local function groups(dark)
  local add = { bg = dark and "#15382a" or "#dcf5e3", ctermbg = dark and 22 or 194 }
  local delete = { bg = dark and "#47232b" or "#fde4e6", ctermbg = dark and 52 or 224 }
  return {
    EditdAdd = add,
    EditdAddText = { bg = dark and "#23694b" or "#a5e6ba", ctermbg = dark and 29 or 157 },
    EditdDelete = delete,
    EditdDeleteText = { bg = dark and "#7d2f3d" or "#f7b6bd", ctermbg = dark and 88 or 217 },
    EditdStruck = { strikethrough = true, cterm = { strikethrough = true } },
    EditdSuspect = { link = "DiagnosticWarn" },
    EditdNote = { link = "Comment" },
    EditdNoted = { underdotted = true, cterm = { underline = true } },
    EditdStale = { link = "Comment" },
    EditdProgress = { link = "Comment" },
    EditdKeys = { link = "Comment" },
    EditdEarlier = { link = "Comment" },
    EditdFromBuffer = { link = "Comment" },
    EditdFromSubstitution = { link = "Identifier" },
    EditdFromOutput = { link = "String" },
    EditdFromSketch = { link = "Special" },
    EditdFromProject = { link = "Type" },
    EditdFromDraftModel = { link = "Function" },
    EditdFromNew = { link = "DiagnosticWarn" },
  }
end

function M.define()
  for name, value in pairs(groups(vim.o.background == "dark")) do
    value.default = true
    vim.api.nvim_set_hl(0, name, value)
  end
end

---Define the groups now, and again when a colour scheme has cleared them.
function M.setup()
  M.define()
  vim.api.nvim_create_autocmd("ColorScheme", {
    group = vim.api.nvim_create_augroup("editd_colors", {}),
    callback = M.define,
  })
end

return M
