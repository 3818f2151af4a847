-- What needs neither server nor window: options, presets, levels, sentences.

local config = require("editd.config")
local errors = require("editd.errors")
local presets = require("editd.presets")
local status = require("editd.status")
local telling = require("editd.telling")

test("options are taken over the defaults, and wrong ones named", function()
  local function merged(options, expected_problems)
    local result, problems = config.merged(options)
    same(expected_problems, problems, vim.inspect(options))
    return result
  end
  same(config.defaults, merged(nil, {}))
  same({ "x", "lsp" }, merged({ cmd = { "x", "lsp" } }, {}).cmd)
  same(false, merged({ warmup = false }, {}).warmup)
  same({ "~/src/**" }, merged({ trust_workspace = { "~/src/**" } }, {}).trust_workspace)
  same(
    config.defaults,
    merged({ trust_workspace = "trusted" }, {
      "editd: `trust_workspace` must be true, false, a list of folders such as "
        .. '{ "~/src/**" }, or a function; the default is used.',
    })
  )
  same(
    config.defaults,
    merged({ debounce = -1, cmd = "editd lsp", colour = 1 }, {
      'editd: `cmd` must be a list of words such as { "editd", "lsp" }; the default is used.',
      "editd: there is no option `colour`; it is ignored.",
      "editd: `debounce` must be a number of milliseconds from 0 to 1000; the default is used.",
    })
  )
  same(config.defaults, merged("fast", { "editd: setup() takes a table." }))
end)

local KNOWN = {
  { name = "docstring", title = "", instruction = "" },
  { name = "fix", title = "", instruction = "" },
  { name = "type-hints", title = "", instruction = "" },
}

test("an instruction may name a preset", function()
  for text, expected in pairs({
    ["@fix"] = { "fix", "" },
    ["@fix but keep the names"] = { "fix", "but keep the names" },
    ["@type-hints  for f"] = { "type-hints", "for f" },
    ["@unknown"] = { "unknown", "" },
    ["fix"] = { "fix", "" },
    ["  fix  "] = { "fix", "" },
    ["fix the loop"] = { nil, "fix the loop" },
    ["mail me@fix.org"] = { nil, "mail me@fix.org" },
  }) do
    local preset, instruction = presets.parse(text, KNOWN)
    same({ preset = expected[1], instruction = expected[2] }, { preset = preset, instruction = instruction }, text)
  end
  same({ nil, "fix" }, { presets.parse("fix", nil) })
end)

test("presets complete with and without their sign", function()
  same({ "@docstring", "@fix", "@type-hints" }, presets.matching("", KNOWN))
  same({ "@fix" }, presets.matching("f", KNOWN))
  same({ "@docstring" }, presets.matching("@do", KNOWN))
  same({}, presets.matching("rename", KNOWN))
  same({}, presets.complete("name", "Editd rename the name"))
  local refused = vim.list_extend({ { name = "explain", title = "", instruction = "", refusal = "No." } }, KNOWN)
  same({ "@docstring", "@fix", "@type-hints", "@explain" }, presets.matching("", refused), "refused ones are last")
end)

test("a level is decided by the code", function()
  local levels = vim.log.levels
  for code, level in pairs({
    cancelled = levels.INFO,
    refused = levels.WARN,
    ["scope-too-large"] = levels.WARN,
    ["cut-off"] = levels.WARN,
    ["daemon-unreachable"] = levels.ERROR,
    ["model-not-found"] = levels.ERROR,
    ["never heard of"] = levels.ERROR,
  }) do
    same(level, errors.level(code), code)
  end
  same(levels.ERROR, errors.level(nil))
end)

test("a JSON-RPC error becomes a sentence and a code", function()
  same({ "Gone.", "unknown-edit" }, {
    errors.of_response({ code = -32803, message = "x", data = { code = "unknown-edit", message = "Gone." } }),
  })
  same({ "params are wrong", "rpc" }, { errors.of_response({ code = -32602, message = "params are wrong" }) })
  same({ "closed", "internal" }, { errors.of_response("closed") })
end)

test("an answer is summed up in one line", function()
  local function summary(hunks, stats)
    return telling.joined(telling.summary({ hunks = hunks, stats = stats or {}, summary = "" }))
  end
  same("The model left the text as it is.", summary({}))
  same("1 hunk.", summary({ {} }))
  same("1 hunk, doubtful.", summary({ { suspect = "why" } }))
  same("2 hunks, 1 of them doubtful.", summary({ {}, { suspect = "why" } }))
  local merged = { hunks = { {} }, stats = { total_seconds = 0.002 }, summary = "Merged, one reading." }
  same("1 hunk. Merged, one reading.", telling.joined(telling.summary(merged)))
  same({ "Nothing to do." }, telling.summary({ hunks = {}, summary = "Nothing to do." }))
  same(
    "3 hunks in 0.4 s, 312 tokens/s.",
    summary({ {}, {}, {} }, { total_seconds = 0.42, tokens_per_second = 311.7 })
  )
end)

test("a sentence is said once", function()
  same("A. Is it? B…", telling.joined({ "A", "Is it?", "A.", "", "B…", "Is\n it?" }))
end)

test("the status line says what is going on, and nothing at rest", function()
  local function text(fields, ...)
    return status.text(vim.tbl_extend("force", { state = "idle", message = "", queue = 0 }, fields), ...)
  end
  same("", status.text(nil, nil, false))
  same("", text({}, nil, false))
  same("editd: 3 hunks", text({}, 3, false))
  same("editd: 1 hunk", text({}, 1, false))
  same("editd: loading 42%", text({ state = "loading", fraction = 0.424 }, 0, true))
  same("editd: starting", text({ state = "starting" }, 0, true))
  same("editd: writing", text({ state = "busy" }, 0, true))
  same("editd: writing, 2 hunks", text({ state = "busy" }, 2, true))
  same("editd: waiting for 2", text({ state = "busy", queue = 2 }, 0, true))
  same("", text({ state = "busy" }, nil, false)) -- another window's edit
end)

test("loading the plugin loads none of its modules", function()
  local support = require("support")
  local child = support.child({ fresh = true })
  local loaded = child:lua([[
    for name in pairs(package.loaded) do
      if vim.startswith(name, "editd") then
        package.loaded[name] = nil
      end
    end
    vim.g.loaded_editd = nil
    vim.cmd("runtime plugin/editd.lua")
    return vim.iter(vim.tbl_keys(package.loaded)):filter(function(name)
      return vim.startswith(name, "editd")
    end):totable()
  ]])
  same({}, loaded)
end)
