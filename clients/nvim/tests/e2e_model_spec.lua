-- A model chosen as a user does it, where Ollama has one: a GGUF file, run by llama.cpp, with nothing scripted.

local support = require("support")

local DAEMON = "chosen-model"
local MODEL = "ollama:greeter:latest" -- tests/ollama_model.py; it knows the edit of tests/unit/solved/tiny_edits.py
local BEFORE = 'def greet(name):\n    print("👋 hello", name)\n\n\ndef leave():\n    greet("bye")\n'

support.at_the_end(function()
  vim.system({ support.editd, "stop", "--force" }, { env = support.environment(DAEMON) }):wait(30000)
end)

test("a model of Ollama's is chosen from the list, written down, and makes the next edit", function()
  local home = support.directory("home-of-ollama")
  local laid_out = vim
    .system({ support.python, "-m", "tests.ollama_model", home }, { cwd = support.checkout, text = true })
    :wait(300000)
  same(0, laid_out.code, laid_out.stderr)
  local configuration = support.file("config.toml", "")
  local child = support.child({
    daemon = DAEMON,
    environment = { HOME = home, EDITD_CONFIG = configuration, XDG_CACHE_HOME = home .. "/.cache" },
  })
  child:lua([[
    vim.ui.select = function(items, options, on_choice)
      _G.offered = vim.tbl_map(options.format_item, items)
      on_choice(items[1])
    end
  ]])
  local path = support.file("greet.py", BEFORE)
  child:edit(path)
  child:cmd("EditdModel")
  child:wait("_G.notes[1] ~= nil")
  same({ MODEL .. " (1 MB, F32, context 2k)" }, child:lua("return _G.offered"))
  contains("The model is " .. MODEL, child:notes())
  contains(('name = "%s"'):format(MODEL), support.read(configuration))

  child:rewrite("Editd Rename greet to welcome.")
  child:type(":EditdAccept!<CR>")
  child:wait("_G.open() == 0")
  child:cmd("write")
  same((BEFORE:gsub("greet", "welcome")), support.read(path))
  contains("llama.cpp", vim.inspect(support.daemon_status(DAEMON)))
end)
