local hunks = require("editd.hunks")

local function wire(id, start, old_count, new_lines, more)
  return vim.tbl_extend("force", {
    id = id,
    start = start,
    oldCount = old_count,
    newLines = new_lines,
    done = true,
  }, more or {})
end

local function ids(list)
  return vim.tbl_map(function(hunk)
    return hunk.id
  end, list)
end

local function delta(seq, version, ops)
  return { editToken = "t", seq = seq, version = version, ops = ops }
end

test("hunks come in the order of the document, without their line ends", function()
  local known = hunks.new()
  known:delta(delta(1, 4, { { keep = 2 }, { hunk = wire(7, 9, 1, { "b\r\n" }) } }))
  known:delta(delta(2, 4, { { hunk = wire(3, 2, 1, { "a\n", "c" }) } }))
  same({ 3, 7 }, ids(known:all()))
  same({ "a", "c" }, known:get(3).new_lines)
  same({ "b" }, known:get(7).new_lines)
  same(4, known.version)
end)

test("a hunk that grows is the same hunk at a later revision", function()
  local known = hunks.new()
  known:delta(delta(1, 1, { { hunk = wire(1, 0, 0, { "a\n" }, { done = false }) } }))
  local before = known:get(1).revision
  known:delta(delta(2, 1, { { hunk = wire(1, 0, 2, { "a\n", "b\n" }) } }))
  same({ "a", "b" }, known:get(1).new_lines)
  same(2, known:get(1).old_count)
  check(known:get(1).done)
  check(known:get(1).revision > before)
  same(1, #known:all())
end)

test("a delta that was here already changes nothing", function()
  local known = hunks.new()
  local first = delta(1, 1, { { hunk = wire(1, 0, 1, { "a\n" }) } })
  same(true, known:delta(first))
  same(false, known:delta(first))
  same(1, known:get(1).revision)
end)

test("the walk of the model goes over kept lines and hunks", function()
  local known = hunks.new()
  known:delta(delta(1, 1, { { keep = 3 }, { hunk = wire(1, 3, 2, { "x\n" }) }, { keep = 4 } }))
  same(9, known.walked)
  known:delta(delta(2, 1, { { keep = 1 } }))
  same(10, known.walked)
end)

test("a rebase moves hunks, makes them stale, and takes away what is decided", function()
  local known = hunks.new()
  local ops = {}
  for id = 1, 4 do
    ops[id] = { hunk = wire(id, id * 10, 1, { "x\n" }) }
  end
  known:delta(delta(1, 1, ops))
  known:rebased({
    editToken = "t",
    version = 2,
    hunks = {
      { id = 1, start = 11, state = "ok" },
      { id = 2, start = 20, state = "stale" },
      { id = 3, start = 30, state = "accepted" },
      { id = 9, start = 0, state = "ok" },
    },
  })
  same(2, known.version)
  same({ 1, 2, 4 }, ids(known:all()))
  same({ 1, 4 }, ids(known:open()))
  same(11, known:get(1).start)
  same(40, known:get(4).start)
end)

test("a hunk whose accept was undone is open again", function()
  local known = hunks.new()
  known:delta(delta(1, 1, { { hunk = wire(1, 5, 1, { "x\n" }) }, { hunk = wire(2, 9, 1, { "y\n" }) } }))
  known:remove({ 1, 2 })
  same({}, known:all())
  known:rebased({ editToken = "t", version = 2, hunks = { { id = 2, start = 9, state = "accepted" } } })
  same({}, known:all())
  known:rebased({ editToken = "t", version = 3, hunks = { { id = 1, start = 6, state = "ok" } } })
  same({ 1 }, ids(known:open()))
  same({ 6, "x" }, { known:get(1).start, known:get(1).new_lines[1] })
end)

test("a stale hunk that fits again is open again", function()
  local known = hunks.new()
  known:delta(delta(1, 1, { { hunk = wire(1, 5, 1, { "x\n" }) } }))
  known:rebased({ editToken = "t", version = 2, hunks = { { id = 1, start = 5, state = "stale" } } })
  known:rebased({ editToken = "t", version = 3, hunks = { { id = 1, start = 5, state = "ok" } } })
  same({ 1 }, ids(known:open()))
end)

test("the answer says which hunks there are", function()
  local known = hunks.new()
  known:delta(delta(1, 1, { { hunk = wire(1, 0, 1, { "a\n" }) }, { hunk = wire(2, 5, 1, { "b\n" }) } }))
  known:answer({ version = 3, hunks = { wire(2, 6, 1, { "b\n" }), wire(5, 8, 0, { "c" }) } })
  same({ 2, 5 }, ids(known:all()))
  same(6, known:get(2).start)
  same(3, known.version)
end)

test("line ends of all kinds are taken off once", function()
  for text, expected in pairs({
    ["a\n"] = "a",
    ["a\r\n"] = "a",
    ["a\r"] = "a",
    ["a"] = "a",
    ["\n"] = "",
    ["a\\n"] = "a\\n",
    [""] = "",
  }) do
    same(expected, hunks.without_end(text), vim.inspect(text))
  end
end)
