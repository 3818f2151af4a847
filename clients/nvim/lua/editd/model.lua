-- Which model is used: chosen among those on this machine and written into editd's configuration, so
-- that it holds in every editor. The server reads it when it starts, so it is started anew.

local client = require("editd.client")
local config = require("editd.config")
local errors = require("editd.errors")

local M = {}

---@param command string[]
---@param callback fun(out: string)
local function run(command, callback)
  local function ended(done)
    if done.code == 0 then
      return callback(done.stdout)
    end
    local said = vim.trim(done.stderr or ""):gsub("^editd: ", "")
    errors.tell(said ~= "" and said or "It ended without a message.", "usage")
  end
  local ok = pcall(vim.system, command, { text = true }, vim.schedule_wrap(ended))
  if not ok then
    local problem = "`%s` is not installed, or not on PATH; :checkhealth editd says more."
    errors.tell(problem:format(command[1]), "usage")
  end
end

---The program that the server is part of, with further words.
---@param ... string
---@return string[]
function M.command(...)
  local words = {}
  for _, word in ipairs(config.options.cmd) do
    if word == "lsp" then
      break
    end
    words[#words + 1] = word
  end
  return vim.list_extend(words, { ... })
end

---What is said of a model in a list.
---@param model table one of `here` of `editd models list --json`
---@return string
function M.line(model)
  local size = model.size_bytes
  local parts = {
    size >= 1e9 and ("%.1f GB"):format(size / 1e9) or ("%.0f MB"):format(size / 1e6),
    model.quantisation ~= "" and model.quantisation or nil,
  }
  if model.context >= 1024 then
    parts[#parts + 1] = ("context %dk"):format(math.floor(model.context / 1024))
  end
  if model.edits ~= "" then
    parts[#parts + 1] = "edits " .. model.edits
  end
  if not model.fits then
    parts[#parts + 1] = "does not fit into memory"
  end
  return ("%s (%s)"):format(model.name, table.concat(parts, ", "))
end

---Ask which of the models on this machine to use.
function M.choose()
  run(M.command("models", "list", "--json"), function(out)
    local ok, list = pcall(vim.json.decode, out)
    if not ok or type(list.here) ~= "table" then
      return errors.tell("This editd is older than the plugin: update it.", "usage")
    end
    local models = vim.tbl_filter(function(model)
      return model.unusable == ""
    end, list.here)
    if #models == 0 then
      return errors.tell("There is no model on this machine: `editd setup` in a terminal gets one.", "nothing")
    end
    vim.ui.select(models, { prompt = "editd: which model?", format_item = M.line }, function(model)
      if model then
        M.use(model.name)
      end
    end)
  end)
end

---Use a model from now on.
---@param name string
function M.use(name)
  run(M.command("config", "set", "model.name", name), function()
    local server = client.get()
    if server then
      vim.lsp.stop_client(server.id)
    end
    errors.say(("The model is %s from the next edit on."):format(name))
  end)
end

return M
