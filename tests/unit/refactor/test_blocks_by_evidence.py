"""Early returns, ``with`` and ``try`` are read from words that say them in their own way, in several languages, and left where they are not clear."""

import pytest

from editd.messages import EditRequest
from editd.refactor.computed import compute_edit

DEPOT = """\
import json
import logging

from depot.errors import NoSuchCrate

log = logging.getLogger(__name__)


def read_all(path):
    return json.load(open(path)).values()


def stock(crates, name):
    return crates[name]


def ship(crates, carrier):
    for crate in crates:
        label = carrier.label(crate)
        carrier.send(crate, label)


def unload(crate):
    if crate.items:
        for item in crate.items:
            if item.fragile:
                item.wrap()
"""
SHOP_JS = """\
const log = require('./log');

router.get('/crates/:id', async (req, res) => {
  const crate = await db.crates.get(req.params.id);
  if (crate) {
    res.json(crate);
  } else {
    res.status(404).end();
  }
});

router.post('/crates', async (req, res) => {
  await db.crates.insert(req.body);
  res.status(201).end();
});

router.delete('/crates/:id', (req, res) => {
  if (mayDelete(req)) {
    db.crates.remove(req.params.id);
    res.status(204).end();
  }
});
"""
QUEUE_GO = """\
package queue

func drain(m *Mail) error {
	if m.To != "" {
		if err := send(m.To); err != nil {
			return err
		}
	}
	return nil
}
"""
DEPOT_PY, SHOP, QUEUE = ("depot.py", DEPOT), ("shop.js", SHOP_JS), ("queue.go", QUEUE_GO)


def computed(file, sentence):
    path, text = file
    result = compute_edit(EditRequest("1", text, sentence, path=path))
    return None if result is None or result.text == text else result.text


@pytest.mark.parametrize(
    ("file", "sentence", "new"),
    [
        (DEPOT_PY, "read_all leaks its file handle whenever the json is broken, context-manage it",
         "    with open(path) as f:\n        return json.load(f).values()\n"),
        (DEPOT_PY, "nothing closes the file in read_all reliably, a with block please", "    with open(path) as f:\n        return json.load(f)"),
        (DEPOT_PY, "read_all -> with open(path) as f", "    with open(path) as f:\n        return json.load(f)"),
        (DEPOT_PY, "stock should raise NoSuchCrate(name) instead of a bare KeyError",
         "    try:\n        return crates[name]\n    except KeyError:\n        raise NoSuchCrate(name)\n"),
        (DEPOT_PY, "asking for a crate that isn't there must not blow up: KeyError in stock → return None",
         "    try:\n        return crates[name]\n    except KeyError:\n        return None\n"),
        (DEPOT_PY, "one crate that can't be sent kills the loop. carrier.send in ship may raise OSError, log it with log.exception and go on",
         '        try:\n            carrier.send(crate, label)\n        except OSError:\n            log.exception("send failed")\n            continue\n'),
        (DEPOT_PY, "In the loop of ship catch OSError and print it",
         "        try:\n            label = carrier.label(crate)\n            carrier.send(crate, label)\n        except OSError as error:\n            print(error)\n"),
        (DEPOT_PY, "ship: errors from carrier.send shouldn't stop the others, swallow any exception there", "        except Exception:\n            pass\n"),
        (DEPOT_PY, "unload is an arrow, bail out when there are no items", "    if not crate.items:\n        return\n    for item in crate.items:\n        if item.fragile:\n"),
        (SHOP, "GET /crates/:id: handle the missing crate first with a return, no else",
         "  if (!crate) {\n    res.status(404).end();\n    return;\n  }\n  res.json(crate);\n"),
        (SHOP, "the delete route should answer anyone without mayDelete with res.status(403).end() and return, rest one level out",
         "  if (!mayDelete(req)) {\n    res.status(403).end();\n    return;\n  }\n  db.crates.remove(req.params.id);\n"),
        (SHOP, "POST /crates has no error handling: wrap the body in try/catch, log.error(err) and res.status(500).end() in the catch",
         "  try {\n    await db.crates.insert(req.body);\n    res.status(201).end();\n  } catch (err) {\n    log.error(err);\n    res.status(500).end();\n  }\n"),
        (QUEUE, "drain: mails without a recipient → return nil at the top, the rest moves out of the if",
         '\tif m.To == "" {\n\t\treturn nil\n\t}\n\tif err := send(m.To); err != nil {\n\t\treturn err\n\t}\n\treturn nil\n'),
        (QUEUE, 'invert `if m.To != ""` in drain', '\tif m.To == "" {\n\t\treturn nil\n\t}\n'),
    ],
)  # fmt: skip
def test_a_block_is_made(file, sentence, new):
    assert new in (computed(file, sentence) or "")


@pytest.mark.parametrize(
    ("file", "sentence"),
    [
        (DEPOT_PY, "use a with for the socket in read_all"),
        (DEPOT_PY, "context manager in read_all, and cache what it returns"),
        (DEPOT_PY, "stock should raise NoSuchCrate(name)"),
        (DEPOT_PY, "catch KeyError in stock, count it and return None"),
        (DEPOT_PY, "carrier.send in ship may raise OSError, retry three times"),
        (DEPOT_PY, "carrier.send in ship may raise OSError, catch it if the crate is fragile and pass"),
        (DEPOT_PY, "In the loop of stock catch KeyError and return None"),
        (DEPOT_PY, "unload: bail out when the carrier is missing"),
        (DEPOT_PY, "unload: return early when there are items"),
        (DEPOT_PY, "ship should bail out once carrier is gone"),
        (SHOP, "the put route should answer anyone without mayDelete with res.status(403).end() and return"),
        (SHOP, "GET /crates: handle the missing crate first with a return"),
        (SHOP, "log.error(err) in the catch of the delete route"),
        (QUEUE, "drain: mails with a recipient → return nil at the top"),
        (QUEUE, "early return in drain for spam"),
    ],
)  # fmt: skip
def test_what_is_not_clear_is_left(file, sentence):
    assert computed(file, sentence) is None
