-- Where the new text of a hunk came from, in bytes and in colours.

local hunks = require("editd.hunks")
local protocol = require("editd.protocol")
local support = require("support")
local where = require("editd.where")

local function hunk_with(line, origins)
  return { id = 7, new_lines = { line }, origins = origins }
end

local function stretch(first, last, source)
  return { line = 0, start = first, ["end"] = last, source = source or "new" }
end

test("characters of every encoding become bytes", function()
  local line = "aé😀b" -- 1 + 2 + 4 + 1 bytes
  for encoding, border in pairs({ ["utf-8"] = 7, ["utf-16"] = 4, ["utf-32"] = 3 }) do
    local origins = where.of(hunk_with(line, { stretch(0, border), stretch(border, 99) }), encoding)
    same({ "aé😀", "b" }, { origins[1].text, origins[2].text }, encoding)
    same({ 0, 7, 7, 8 }, {
      origins[1].first,
      origins[1].last,
      origins[2].first,
      origins[2].last,
    }, encoding)
  end
end)

test("a line's end is no text, and a hunk without origins has none", function()
  same({}, where.of(hunk_with("ab", nil), "utf-16"))
  local origins = where.of(hunk_with("ab", { stretch(0, 2), stretch(2, 3) }), "utf-16")
  same(1, #origins)
  same({ 7, 0, "new" }, { origins[1].hunk, origins[1].line, origins[1].source })
end)

test("the page shows the text, and what its colours mean", function()
  local path = support.checkout .. "/clients/fixtures/protocol/edit.response.json"
  local message = vim.json.decode(support.read(path), { luanil = { object = true } })
  same(nil, protocol.problem("EditAnswer", message.result))
  local known = hunks.new()
  known:answer(message.result)
  local lines, coloured = where.page(vim.list_slice(known:all(), 1, 2), "utf-16")
  same('    items = [Item("🍎", 2)]', lines[1])
  same({ "", "    log.info(total)", "    return total", "" }, vim.list_slice(lines, 2, 5))
  local legend = vim.list_slice(lines, 6)
  same("■   6 %  renamed as before: Item", legend[2])
  same("·  hesitated here: `total` or `items`", legend[6])
  same(6, #legend)
  same("■  33 %  copied from the file", legend[1])
  same("■  30 %  from the project: shop/stock.py:12", legend[4])
  local by_text = {}
  for _, mark in ipairs(coloured) do
    by_text[lines[mark.row + 1]:sub(mark.first + 1, mark.last)] = mark.group
  end
  same("EditdFromNew", by_text["🍎"])
  same("EditdFromSubstitution", by_text["Item"])
  same("EditdFromProject", by_text["    log.info(total)"])
  for _, group in pairs(by_text) do
    check(group:match("^EditdFrom"), group)
  end
end)

test("a replacement is named by the whole name that it is a part of", function()
  local function legend(line, origins, is_computed)
    return where.page({ hunk_with(line, origins) }, "utf-8", is_computed)[3]
  end
  local renamed = { stretch(0, 5, "buffer"), stretch(5, 10, "substitution") } -- "ecord" of "record"
  same("■  50 %  copied from the file", legend("x = record", renamed))
  local lines = where.page({ hunk_with("x = record", renamed) }, "utf-8")
  same("■  50 %  renamed as before: record", lines[4])
  lines = where.page({ hunk_with("x = record", renamed) }, "utf-8", true)
  same("■  50 %  computed from the words: record", lines[4])
  local many = "a b c d e f"
  local origins = {}
  for index = 0, 10, 2 do
    origins[#origins + 1] = stretch(index, index + 1, "substitution")
  end
  same("■ 100 %  renamed as before: a, b, c, d and 2 more", legend(many, origins))
  same("■ 100 %  renamed as before", legend("x, y", { stretch(1, 3, "substitution") }))
end)

test("a source that only a newer server knows is shown, too", function()
  local lines, coloured = where.page({ hunk_with("ab", { stretch(0, 2, "oracle") }) }, "utf-8")
  same({ "ab", "" }, lines)
  same("EditdFromNew", coloured[1].group)
end)
