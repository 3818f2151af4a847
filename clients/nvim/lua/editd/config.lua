-- The user's options: defaults, and one sentence for each wrong value, which is then the default.

local M = {}

---@type editd.Config
M.defaults = {
  cmd = { "editd", "lsp" },
  init_options = {},
  warmup = true,
  messages = true,
  keys = true,
  keep_on_cancel = false,
  trust_workspace = false,
  debounce = 30,
  log_level = "info",
}

local LEVELS = { debug = true, info = true, warn = true, error = true }

local BOOLEAN = {
  "true or false",
  function(value)
    return type(value) == "boolean"
  end,
}

---What is allowed for each option, in words and as a test.
local RULES = {
  cmd = {
    'a list of words such as { "editd", "lsp" }',
    function(value)
      return vim.islist(value)
        and #value > 0
        and vim.iter(value):all(function(word)
          return type(word) == "string"
        end)
    end,
  },
  init_options = {
    "a table",
    function(value)
      return type(value) == "table"
    end,
  },
  warmup = BOOLEAN,
  messages = BOOLEAN,
  keys = BOOLEAN,
  keep_on_cancel = BOOLEAN,
  trust_workspace = {
    'true, false, a list of folders such as { "~/src/**" }, or a function',
    function(value)
      return type(value) == "boolean"
        or type(value) == "function"
        or vim.islist(value)
          and vim.iter(value):all(function(folder)
            return type(folder) == "string" and pcall(vim.glob.to_lpeg, folder)
          end)
    end,
  },
  debounce = {
    "a number of milliseconds from 0 to 1000",
    function(value)
      return type(value) == "number" and value >= 0 and value <= 1000
    end,
  },
  log_level = {
    '"debug", "info", "warn" or "error"',
    function(value)
      return LEVELS[value] == true
    end,
  },
}

---@type editd.Config
M.options = vim.deepcopy(M.defaults)

---One sentence for each thing that was wrong in the last `setup`.
---@type string[]
M.problems = {}

---Take the user's options over the defaults.
---@param options? editd.Options
---@return string[] problems
function M.setup(options)
  M.options, M.problems = M.merged(options)
  return M.problems
end

---@param options any
---@return editd.Config, string[] problems
function M.merged(options)
  local merged, problems = vim.deepcopy(M.defaults), {}
  if options ~= nil and type(options) ~= "table" then
    return merged, { "editd: setup() takes a table." }
  end
  for key, value in vim.spairs(options or {}) do
    local rule = RULES[key]
    if not rule then
      problems[#problems + 1] = ("editd: there is no option `%s`; it is ignored."):format(key)
    elseif not rule[2](value) then
      local problem = "editd: `%s` must be %s; the default is used."
      problems[#problems + 1] = problem:format(key, rule[1])
    else
      merged[key] = vim.deepcopy(value)
    end
  end
  return merged, problems
end

return M
