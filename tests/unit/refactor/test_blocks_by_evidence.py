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
SYNC_JS = """\
function pullAll(hosts) {
  for (const host of hosts) {
    try {
      fetchFrom(host);
      done += 1;
    } catch (err) {
      failed.push(host);
    }
  }
}

function pushLabel(text) {
  socket.send(text);
}
"""
DEPLOY_SH = """\
copy_files() {
    rsync -a dist/ "$HOST:/srv/"
}

while true; do
    copy_files
    sleep 60
done
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

func poll() {
	start := now()
	for {
		drain(next())
	}
}
"""
DEPOT_PY, SHOP, QUEUE = ("depot.py", DEPOT), ("shop.js", SHOP_JS), ("queue.go", QUEUE_GO)
SYNC, DEPLOY = ("sync.js", SYNC_JS), ("deploy.sh", DEPLOY_SH)


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
        (DEPOT_PY, "the carrier is down at times. carrier.send in ship: swallow OSError",
         "        try:\n            carrier.send(crate, label)\n        except OSError:\n            pass\n"),
        (DEPOT_PY, "no crate of that name → KeyError, stock should answer with None then",
         "    try:\n        return crates[name]\n    except KeyError:\n        return None\n"),
        (DEPOT_PY, "wrap carrier.label(crate) with try/except OSError and raise NoSuchCrate(crate)",
         "        except OSError:\n            raise NoSuchCrate(crate)\n"),
        (SHOP, "GET /crates/:id: handle the missing crate first with a return, no else",
         "  if (!crate) {\n    res.status(404).end();\n    return;\n  }\n  res.json(crate);\n"),
        (SHOP, "the delete route should answer anyone without mayDelete with res.status(403).end() and return, rest one level out",
         "  if (!mayDelete(req)) {\n    res.status(403).end();\n    return;\n  }\n  db.crates.remove(req.params.id);\n"),
        (SHOP, "POST /crates has no error handling: wrap the body in try/catch, log.error(err) and res.status(500).end() in the catch",
         "  try {\n    await db.crates.insert(req.body);\n    res.status(201).end();\n  } catch (err) {\n    log.error(err);\n    res.status(500).end();\n  }\n"),
        (QUEUE, "drain: mails without a recipient → return nil at the top, the rest moves out of the if",
         '\tif m.To == "" {\n\t\treturn nil\n\t}\n\tif err := send(m.To); err != nil {\n\t\treturn err\n\t}\n\treturn nil\n'),
        (QUEUE, 'log.Printf("polling since %v", start) once, right before the endless loop',
         '\tlog.Printf("polling since %v", start)\n\tfor {\n'),
        (SYNC, "we never see which host is down: console.warn('no answer', host) in the catch of pullAll",
         "    } catch (err) {\n      console.warn('no answer', host);\n      failed.push(host);\n"),
        (SYNC, "console.log(host) as the first thing in the loop", "  for (const host of hosts) {\n    console.log(host);\n    try {\n"),
        (SYNC, "log progress: console.log(done), under the line where done goes up", "      done += 1;\n      console.log(done);\n"),
        (SYNC, "console.log(text) at the start of the function that pushes the label", "function pushLabel(text) {\n  console.log(text);\n"),
        (DEPLOY, 'echo "copying" before the rsync command starts', '    echo "copying"\n    rsync'),
        (DEPOT_PY, 'the stocking function has no docstring, namely "One crate by its name."', '    """One crate by its name."""\n    return crates[name]\n'),
        (DEPOT_PY, "The module wants a docstring: Crates in and out.", '"""Crates in and out."""\n\nimport json\n'),
        (DEPOT_PY, "the unloading function: return at once without items", "    if not crate.items:\n        return\n"),
        (QUEUE, 'invert `if m.To != ""` in drain', '\tif m.To == "" {\n\t\treturn nil\n\t}\n'),
    ],
)  # fmt: skip
def test_a_block_is_made(file, sentence, new):
    assert new in (computed(file, sentence) or "")


@pytest.mark.parametrize(
    ("file", "sentence"),
    [
        (DEPOT_PY, "don't invert the condition in unload"),
        (DEPOT_PY, "don't use a context manager in read_all"),
        (DEPOT_PY, "no crate of that name → KeyError"),
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
        (SYNC, "console.log(host) in the catch of pushLabel"),
        (SYNC, "console.log(host) in the catch, and rethrow"),
        (SYNC, "console.log(done) under the line where failed goes up"),
        (SYNC, "console.log(text) at the start of the function that pops the label"),
        (SYNC, "console.log(text) at the start of the sending function of the server"),
        (DEPOT_PY, "docstring for stock instead of the comment: One crate by its name."),
        (DEPOT_PY, "the class wants a docstring: Crates in and out."),
        (SHOP, "log.error(err) in the catch of the delete route"),
        (QUEUE, "drain: mails with a recipient → return nil at the top"),
        (QUEUE, "early return in drain for spam"),
    ],
)  # fmt: skip
def test_what_is_not_clear_is_left(file, sentence):
    assert computed(file, sentence) is None
