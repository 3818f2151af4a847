"""A log line at the place that the words of a sentence mean."""

import pytest

from editd.intent import parse
from editd.refactor.by_kind.log_call import READERS
from editd.refactor.by_kind.request import KindRequest
from editd.syntax.code import read_code
from editd.syntax.language import language_of

PYTHON = """\
import logging

log = logging.getLogger(__name__)


class Mailer:
    def deliver(self, msg):
        for n in range(3):
            try:
                with connect(self.host) as smtp:
                    smtp.send(msg)
                return True
            except OSError:
                pause(n)
        return False


def read_orders(path):
    orders = parse(path)
    orders.sort()
    return orders


def delete_order(order_id):
    db.delete(order_id)
    db.commit()


def add_order(order):
    db.add(order)
    db.commit()
"""
SCRIPT = """\
import { logger } from './logger';

export function saveReport(runs) {
  const html = render(runs);
  writeFileSync('out.html', html);
  return html;
}
"""
GO = """\
package a

import "log"

func run(q *Queue) {
\tfor {
\t\tjobs := q.Receive()
\t\tfor _, job := range jobs {
\t\t\tjob.Do()
\t\t}
\t}
}
"""
SHELL = """\
#!/bin/sh
log() {
  echo "$1"
}
mkdir -p out
tar -czf out/a.tgz src \\
  -C /tmp
rm -f /tmp/tar.lock
"""
FILES = {"a.py": PYTHON, "b.ts": SCRIPT, "c.go": GO, "d.sh": SHELL}


def check(sentence, path, written, above):
    """The sentence writes a line above the one that begins with ``above``; nothing if both are empty."""
    code = read_code(FILES[path], language_of(path, ""))
    request = KindRequest(sentence, "log_call", parse(sentence), code, path)
    found = [x.texts[0].splitlines() for x in READERS["log_call"](request)]
    if not written:
        assert not found
        return
    [lines] = found
    at = [x.strip() for x in lines].index(written)
    assert lines[at + 1].strip().startswith(above)
    assert [*lines[:at], *lines[at + 1 :]] == code.text.splitlines()


@pytest.mark.parametrize(
    ("sentence", "path", "written", "above"),
    [
        (
            'nobody sees when orders are read, so log.info("%d orders", len(orders)) once the orders are sorted',
            "a.py",
            'log.info("%d orders", len(orders))',
            "return orders",
        ),
        (
            'log.info("gone: %s", order_id) should run once the delete is committed',
            "a.py",
            'log.info("gone: %s", order_id)',
            "",
        ),
        (
            "log a warning 'gave up' right before deliver returns False",
            "a.py",
            'log.warning("gave up")',
            "return False",
        ),
        (
            'inside the try, just before the connection is made: log.debug("to %s", self.host)',
            "a.py",
            'log.debug("to %s", self.host)',
            "with connect",
        ),
        (
            "whoever deletes an order should be seen: log.info(order_id) as the very first thing of that function",
            "a.py",
            "log.info(order_id)",
            "db.delete",
        ),
        (
            "please log the path at debug level in read_orders",
            "a.py",
            'log.debug("path: %s", path)',
            "orders = parse",
        ),
        (
            "directly before the report is written I would love a logger.info('writing')",
            "b.ts",
            "logger.info('writing');",
            "writeFileSync",
        ),
        (
            'add log.Println("jobs", len(jobs)) above the inner loop',
            "c.go",
            'log.Println("jobs", len(jobs))',
            "for _, job",
        ),
        (
            'before the tar command starts I would like a log "packing" line',
            "d.sh",
            'log "packing"',
            "tar -czf",
        ),
        ('say log "packed" after the tar command', "d.sh", 'log "packed"', "rm -f"),
    ],
)
def test_is_read(sentence, path, written, above):
    check(sentence, path, written, above)


@pytest.mark.parametrize(
    ("sentence", "path"),
    [
        ("log something useful in deliver", "a.py"),
        ('log.info("done") after the commit', "a.py"),
        ('log.info("x") and log.info("y") at the top of deliver', "a.py"),
        ('log.info("stored") before the upload', "a.py"),
        ('log.info("a") at the top of read_orders and add_order', "a.py"),
        ('add log.info("sent %s", orders) before the pause', "a.py"),
        ("logger.info('empty') before the return if there are no runs", "b.ts"),
        ('log.info("left") after the return in read_orders', "a.py"),
    ],
)
def test_what_is_not_clear_is_left(sentence, path):
    check(sentence, path, "", "")
