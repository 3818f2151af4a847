-- Choosing a model: what is offered, and what is written down.

local config = require("editd.config")
local model = require("editd.model")
local support = require("support")

local LIST = [[{"used": "demo", "here": [
  {"name": "ollama:coder:7b", "size_bytes": 4700000000, "quantisation": "Q4_K_M", "context": 32768,
   "fits": true, "edits": "", "unusable": ""},
  {"name": "hf:org/small", "size_bytes": 98000000, "quantisation": "", "context": 0,
   "fits": false, "edits": "not", "unusable": ""},
  {"name": "hf:org/embed", "size_bytes": 1, "quantisation": "", "context": 0,
   "fits": true, "edits": "", "unusable": "does not write"}]}]]

---A program that prints the list, notes what it is asked, and knows no model called "none".
local function program(list)
  local told, asked = support.file("list.json", list), support.file("asked", "")
  local script = support.file(
    "editd",
    table.concat({
      "#!/bin/sh",
      ("echo \"$@\" >> '%s'"):format(asked),
      ('case "$*" in *list*) cat \'%s\' ;; *none) echo "editd: There is no none." >&2; exit 4 ;; esac'):format(told),
    }, "\n") .. "\n"
  )
  vim.fn.setfperm(script, "rwxr-xr-x")
  config.setup({ cmd = { script, "-x", "lsp" } })
  return function()
    return vim.fn.readfile(asked)
  end
end

---Run a function; what the user was told, and what was to choose from.
local function watched(run, chosen)
  local notes, offered = {}, nil
  local notify, select = vim.notify, vim.ui.select
  vim.notify = function(message)
    notes[#notes + 1] = message
  end
  vim.ui.select = function(items, options, on_choice)
    offered = vim.tbl_map(options.format_item, items)
    on_choice(chosen and items[chosen] or nil)
  end
  run()
  vim.wait(60000, function()
    return #notes > 0 or (offered ~= nil and not chosen)
  end, 10)
  vim.notify, vim.ui.select = notify, select
  config.setup({})
  return notes, offered
end

test("one of the models here is chosen, and editd's own command writes it down", function()
  local asked = program(LIST)
  local notes, offered = watched(model.choose, 1)
  same({
    "ollama:coder:7b (4.7 GB, Q4_K_M, context 32k)",
    "hf:org/small (98 MB, edits not, does not fit into memory)",
  }, offered)
  same({ "-x models list --json", "-x config set model.name ollama:coder:7b" }, asked())
  same({ "editd: The model is ollama:coder:7b from the next edit on." }, notes)
end)

test("nothing is written where nothing was chosen", function()
  local asked = program(LIST)
  same({}, (watched(model.choose)))
  same({ "-x models list --json" }, asked())
end)

test("what goes wrong is said", function()
  program(LIST)
  same(
    { "editd: There is no none." },
    (watched(function()
      require("editd").model(" none ")
    end))
  )
  program("{}")
  same({ "editd: This editd is older than the plugin: update it." }, (watched(model.choose)))
  program('{"here": []}')
  same({ "editd: There is no model on this machine: `editd setup` in a terminal gets one." }, (watched(model.choose)))
  config.setup({ cmd = { "/no/such/program", "lsp" } })
  contains("is not installed", watched(model.choose)[1])
end)
