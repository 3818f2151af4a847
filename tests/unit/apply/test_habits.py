"""What assistants leave to their readers, and what a copy from a page loses: each as the text that is meant."""

import pytest

from editd.apply import InDoubt, merge
from tests.fixtures.pasted import shown_text

JAVA = """\
package shop;

import java.util.List;

public class Cart {
  public Cart(List<String> items) {
    this.items = items;
  }

  public int size() {
    return items.size();
  }
}
"""
TYPESCRIPT = """\
import { load } from './load'

export function useCart(id: string) {
  const add = (name: string) => {
    load(id)
    items.push(name)
  }

  const clear = () => {
    items.length = 0
  }

  return { add, clear }
}
"""
TOML = """\
[package]
name = "cart"
version = "0.1.0"

[dependencies]
serde = "1"
"""
RUST = """\
enum Command {
    Get(String),
    Set(String, String),
}

fn name(command: &Command) -> &str {
    match command {
        Command::Get(_) => "get",
        Command::Set(..) => "set",
    }
}
"""
SCRIPT = "const size = 3\n\nfunction total() {\n  const some = load(size)\n  return 1 + some\n}\n\nmodule.exports = { total }\n"
LUA = """\
describe("cart", function()
  it("is empty", function()
    assert.equal(0, #new())
  end)

  it("adds", function()
    assert.equal(1, #add(new()))
  end)
end)
"""
CSHARP = """\
public class Cart
{
    private readonly List<string> _items;

    /// <summary>How many there are.</summary>
    public int Size(bool all)
    {
        return _items.Count;
    }

    public void Clear()
    {
        _items.Clear();
    }
}
"""
RUBY = """\
class Cart
  def load
    read
  ensure
    close
  end

  # As text.
  def to_s
    items.join(" ")
  end

  private

  def read
    items
  end
end
"""
PYTHON = """\
\"\"\"A cart.\"\"\"

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from .shop import Shop

if TYPE_CHECKING:
    from .names import Names


class Cart(Shop):
    def load(self, path):
        try:
            text = Path(path).read_text()
        except OSError:
            return None
        if not text:
            return None
        items = json.loads(text)
        return Cart(items)
"""
CSS = """\
.cart {
  color: red;
}

.cart h2,
.cart h3 {
  margin: 0;
}

@media (max-width: 700px) {
  .cart {
    color: blue;
  }
}
"""
IMPL = """\
use std::fmt;

/// A cart.
pub struct Cart {
    items: Vec<String>,
}

impl fmt::Display for Cart {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.items.len())
    }
}
"""


@pytest.mark.parametrize(
    ("path", "text", "paste", "wanted"),
    [
        # a method of a language whose types stand before the names, its signature over several lines
        (
            "Cart.cs",
            CSHARP,
            "public int Size(\n        bool all)\n    {\n        Check(all);\n        return _items.Count;\n    }\n",
            CSHARP.replace("bool all)", "\n        bool all)").replace("        return", "        Check(all);\n        return"),
        ),
        # a method that does not end where it cleans up
        ("cart.rb", RUBY, "  def load\n    read(1)\n  ensure\n    close\n  end\n", RUBY.replace("    read\n", "    read(1)\n")),
        # a new method in the class that the prose names, above the private ones
        (
            "cart.rb",
            RUBY,
            "You can add the following method to the `Cart` class:\n\n```ruby\ndef size\n  items.size\nend\n```\n",
            RUBY.replace("  private", "  def size\n    items.size\n  end\n\n  private"),
        ),
        # the lines beside its place are no part of it
        (
            "cart.rb",
            RUBY,
            "Right before `to_s`:\n\n```ruby\n  def size\n    items.size\n  end\n  alias count size\n\n  # As text.\n  def to_s\n```\n",
            RUBY.replace("  # As", "  def size\n    items.size\n  end\n  alias count size\n\n  # As"),
        ),
        # imports of Python in their sections; code below the imports
        ("cart.py", PYTHON, "```python\nimport os\n```\n", PYTHON.replace("import sys", "import os\nimport sys")),
        ("cart.py", PYTHON, "```python\nfrom attrs import define\n```\n", PYTHON.replace("import click", "import click\nfrom attrs import define")),
        (
            "cart.py",
            PYTHON,
            "Below the imports:\n\n```python\nLEAST = 1\n```\n",
            PYTHON.replace("import Names\n", "import Names\n\nLEAST = 1\n"),
        ),
        # what a command prints is not for the file
        (
            "cart.py",
            PYTHON,
            "```python\n        items = json.loads(text, parse_int=int)\n        return Cart(items)\n```\n\nNow this prints:\n\n```\nNo such file\n```\n",
            PYTHON.replace("loads(text)", "loads(text, parse_int=int)"),
        ),
        # the end of a class, in a language whose outline knows no owners; what builds on top of something is no place
        (
            "cart.rb",
            RUBY.replace("\n  private\n\n  def read\n    items\n  end\n", ""),
            "You can build it on top of `load`. Add to the end of the class:\n\n```ruby\ndef size\n  load.size\nend\n```\n",
            RUBY.replace("  private\n\n  def read\n    items\n  end\n", "  def size\n    load.size\n  end\n"),
        ),
        # a section whose name has a condition is one, too
        (
            "Cargo.toml",
            TOML + "\n[target.'cfg(unix)'.dependencies]\nlibc = \"1\"\n",
            '[dependencies]\nserde = "1"\nlog = "1"\n',
            TOML + 'log = "1"\n' + "\n[target.'cfg(unix)'.dependencies]\nlibc = \"1\"\n",
        ),
        # rules of CSS by their selectors
        (
            "cart.css",
            CSS,
            ".cart {\n  color: green;\n}\n\n.cart:hover {\n  color: red;\n}\n",
            CSS.replace("red;\n}\n", "green;\n}\n\n.cart:hover {\n  color: red;\n}\n", 1),
        ),
        # an impl below its type, and a function above the comment of its neighbour
        (
            "cart.rs",
            IMPL,
            "impl Cart {\n    pub fn size(&self) -> usize {\n        self.items.len()\n    }\n}\n",
            IMPL.replace("impl fmt", "impl Cart {\n    pub fn size(&self) -> usize {\n        self.items.len()\n    }\n}\n\nimpl fmt"),
        ),
        (
            "cart.rs",
            IMPL,
            "const LEAST: usize = 1;\n\npub struct Cart {\n    items: Vec<String>,\n    least: usize,\n}\n",
            IMPL.replace("/// A cart.", "const LEAST: usize = 1;\n\n/// A cart.").replace("<String>,\n", "<String>,\n    least: usize,\n"),
        ),
        # a class is not its constructor, and its first line may change above what is elided
        (
            "Cart.java",
            JAVA,
            "public class Cart implements Sized {\n  // ... existing code ...\n\n  @Override\n  public int size() {\n    return items.size();\n  }\n}\n",
            JAVA.replace("class Cart {", "class Cart implements Sized {").replace("  public int size", "  @Override\n  public int size"),
        ),
        # a first line that lost its indentation, told by its brace and by what closes it
        (
            "Cart.java",
            JAVA,
            "public int size() {\n    return items.size() + 1;\n  }\n",
            JAVA.replace("size();", "size() + 1;"),
        ),
        # the example of its use does not belong to the file
        (
            "Cart.java",
            JAVA,
            "```java\n  public int size() {\n    return items.size() + 1;\n  }\n```\n\nThen in your shop:\n\n```java\nnew Cart(names).size();\n```\n",
            JAVA.replace("size();", "size() + 1;"),
        ),
        # an import that is told in a block of its own goes among its like, sorted
        (
            "Cart.java",
            JAVA.replace("List;", "List;\nimport java.util.Set;"),
            "```java\nimport java.util.Map;\n```\n",
            JAVA.replace("List;", "List;\nimport java.util.Map;\nimport java.util.Set;"),
        ),
        # a function within a function, without its indentation
        (
            "cart.ts",
            TYPESCRIPT,
            "const add = (name: string, count = 1) => {\n  load(id)\n  items.push(name, count)\n}\n",
            TYPESCRIPT.replace("(name: string) =>", "(name: string, count = 1) =>").replace("push(name)", "push(name, count)"),
        ),
        # new code beside a function that the prose names
        (
            "cart.ts",
            TYPESCRIPT,
            "Add this next to `add`:\n\n```ts\n  const size = () => {\n    return items.length\n  }\n```\n",
            TYPESCRIPT.replace("  const clear", "  const size = () => {\n    return items.length\n  }\n\n  const clear"),
        ),
        # a key beside a marker is new, however alike the file's next one is
        (
            "Cargo.toml",
            TOML,
            '[package]\nname = "cart"\nedition = "2021"\n# ...\n\n[dependencies]\nserde = "2"\n',
            TOML.replace("version", 'edition = "2021"\nversion').replace('serde = "1"', 'serde = "2"'),
        ),
        # so is a variant
        (
            "command.rs",
            RUST,
            "enum Command {\n    Get(String),\n    Has(String),\n    // ... existing code ...\n}\n",
            RUST.replace("    Set(String,", "    Has(String),\n    Set(String,"),
        ),
        # a new test among the others
        (
            "cart_spec.lua",
            LUA,
            'describe("cart", function()\n  -- existing tests...\n\n  it("clears", function()\n    assert.equal(0, #clear(new()))\n  end)\nend)\n',
            LUA[: -len("end)\n")] + '\n  it("clears", function()\n    assert.equal(0, #clear(new()))\n  end)\nend)\n',
        ),
        # a block that lost all its indentation
        (
            "Cart.java",
            JAVA,
            "public int size() {\nif (items == null) {\nreturn 0;\n}\nreturn items.size();\n}\n",
            JAVA.replace("    return items.size();", "    if (items == null) {\n      return 0;\n    }\n    return items.size();"),
        ),
        # a diff whose first hunk has no header
        (
            "cart.ts",
            TYPESCRIPT,
            "```diff\n   const add = (name: string) => {\n+    check(name)\n     load(id)\n@@\n-  return { add, clear }\n+  return { add, clear, items }\n```\n",
            TYPESCRIPT.replace("    load(id)", "    check(name)\n    load(id)").replace("clear }", "clear, items }"),
        ),
        # what a page shows above a block, below prose
        (
            "Cart.java",
            JAVA,
            "Sure, it can be one more:\n\njava\nCopy\nEdit\n  public int size() {\n    return items.size() + 1;\n  }\n",
            JAVA.replace("size();", "size() + 1;"),
        ),
    ],
)  # fmt: skip
def test_what_is_meant(path, text, paste, wanted):
    assert shown_text(merge(text, paste, path=path)) == wanted


@pytest.mark.parametrize(
    ("path", "text", "paste"),
    [
        # a statement that begins as another one, a branch that would lose its try, a rule of another width
        ("cart.py", PYTHON, "        try:\n            items = json.loads(text, parse_int=int)\n        except ValueError:\n            items = []\n        return Cart(items)\n"),
        ("cart.py", PYTHON, "In `load`:\n\n```python\n    def load(self, path):\n        with suppress(OSError):\n            text = Path(path).read_text()\n```\n\nand\n\n```python\nimport os\n```\n"),
        ("cart.css", CSS, ".cart {\n  color: green;\n}\n\n@media (max-width: 600px) {\n  .cart {\n    color: gray;\n  }\n}\n"),
        # a licence that the paste leaves out, a name that would be declared twice
        ("cart.js", "#!/usr/bin/env node\n\n/*\n * Licence: use it as you like.\n * Copyright: nobody.\n */\n\n" + SCRIPT, "#!/usr/bin/env node\n\n" + SCRIPT.replace("return 1", "return 2")),
        ("cart.go", "package cart\n\nvar sum = 1\n\nfunc total() int {\n\treturn sum\n}\n", "var (\n\ttax = 2\n\tsum = 1\n)\n\nfunc total() int {\n\treturn sum + tax\n}\n"),
    ],
)  # fmt: skip
def test_what_may_not_be_meant_is_not_sure(path, text, paste):
    result = merge(text, paste, path=path)
    assert isinstance(result, InDoubt)
    assert result.reading is None or not result.reading.is_confident


@pytest.mark.parametrize(
    ("path", "text", "paste"),
    [
        # lines of the file on both sides within a definition, a new one between two that are shown, a told place
        ("cart.ts", TYPESCRIPT, "export function useCart(id: string) {\n  // ...\n    load(id)\n    check(name)\n    items.push(name)\n  // ...\n}\n"),
        ("Cart.cs", CSHARP, "public class Cart\n{\n    // ...\n    public int Size(bool all)\n    {\n        return _items.Count;\n    }\n\n    public bool Any()\n    {\n        return _items.Any();\n    }\n    // ...\n}\n"),
        ("cart.rb", RUBY, "Add it after `to_s`:\n\n```ruby\n  def size\n    items.size\n  end\n```\n"),
    ],
)  # fmt: skip
def test_what_is_shown_clearly_has_no_mark(path, text, paste):
    result = merge(text, paste, path=path)
    assert not isinstance(result, InDoubt) or result.reading.is_confident


def test_a_told_place_says_that_it_was_told():
    result = merge(
        RUBY, "After `to_s`:\n\n```ruby\n  def size\n    1\n  end\n```\n", path="cart.rb"
    )
    (hunk,) = result.reading.merged.hunks
    assert hunk.suspect is None
    assert "text above" in hunk.note


def test_a_last_block_of_nothing_but_a_marker_is_no_code():
    paste = "```js\n  const some = load(size, 1)\n```\n\nAnd:\n\n```js\n// ...\n```\n"
    assert isinstance(merge(SCRIPT, paste, path="cart.js"), InDoubt)


def test_a_block_that_is_for_another_file_says_for_which():
    result = merge(
        SCRIPT,
        "Declare it in `cart.d.ts`:\n\n```ts\nexport function total(): number\n```\n",
        path="cart.js",
    )
    assert isinstance(result, InDoubt)
    assert "for cart.d.ts" in result.reason
