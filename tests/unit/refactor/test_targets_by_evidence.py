"""Something that is described goes, becomes a comment or code again, where one thing of the file fits best; else it is left."""

from difflib import ndiff

import pytest

from editd.messages import EditRequest
from editd.refactor.computed import compute_edit

DUMP_PY = """\
import time


class Dumper:
    def dump(self, name):
        run("pg_dump", name)
        time.sleep(2)
        print("dumped", name)
        # prune("*.tmp")
        return name

    # only for the fair
    def demo_mode(self):
        self.speed = 9

    def upload(self, name):
        # TODO: retries
        print("uploading", name)
        send(name)
        print("done")


def slug(name):
    return name.lower()


def main():
    ap.add_argument("--verbose", action="store_true")
    ap.add_argument("--keep", type=int)
    msg["X-Mailer"] = "dumper"
    Dumper().dump(slug(opts.keep))
"""
HOOK_JS = """\
const app = express();
app.disable('etag');

function shown(items) {
  console.log('shown', items);
  if (items.length > 9) track(items);
  return items;
}

app.get('/ping', (req, res) => {
  res.send('pong');
});
"""
MAILER_CS = """\
public class Mailer
{
    // sends one mail
    public void Send(string to)
    {
        Console.WriteLine("sending " + to);
        // Audit(to);
        Thread.Sleep(100);
    }

    // only for the demo
    public void Spam()
    {
        Send("x");
    }
}
"""
BACKUP_SH = """\
#!/bin/sh
# needed by cron
pack() {
    gzip -9 "$1"
    echo "debug: packed"
}

zstd -q "$TARGET"
sleep 5
rsync -a \\
    "$TARGET/" nas:/backup
"""
COMPOSE_YAML = """\
services:
  web:
    image: app
    ports:
      - "80:80"
      - "9229:9229"
    environment:
      DEBUG: "1"
  # worker:
  #   image: app
  redis:
    image: redis:7
"""
STEPS_YAML = """\
steps:
  - run: npm ci
  - name: coverage
    run: npx codecov
    continue-on-error: true
  - run: npm test
"""
SETTINGS_TOML = """\
# reloaded on HUP
[database]
pool = 10
# echo = true

[queue]
# old name, keep until june
legacy_exchange = "jobs.v1"
"""
USERS_SQL = """\
CREATE TABLE users (
  id INT PRIMARY KEY,
  nickname TEXT,
  age INT
);
CREATE INDEX idx_age ON users (age);
"""
BASKET_CSS = """\
/* old brand */
.basket {
  display: grid;
  outline: 1px dashed red;
}

.basket-line {
  display: flex;
}
"""
DOCKERFILE = """\
# build stage
FROM node:18 AS build
RUN npm ci
RUN ls -la dist

# runtime stage
FROM node:18
# HEALTHCHECK CMD curl localhost
USER node
"""
COUNTER_JAVA = """\
class Counter {
    private static final int BATCH = 50;

    void count() {
        total += BATCH;
    }
}
"""
COPY_PY = """\
def copy(names):
    for name in names:
        if not put(name):
            print("could not copy")
    print("finished")
"""
BOT_PY = """\
JOKES = [
    "a query walks into a bar",
    "works here",
]
HOSTS = ["db.local", "mq.local"]
# old ones
# NODES = ["x"]


def on_ping(msg):
    msg.reply("pong")


def on_roll(msg):
    fold = msg.args
    msg.reply(fold)
    print("rolled", fold)


def legacy_total(items):
    return total(items)


def total(items):
    return sum(items)


COMMANDS = {
    "ping": on_ping,
    "roll": on_roll,
}
"""
HOOKS_JS = """\
function use(items) {
  // nobody calls it
  function clear() {
    items.length = 0;
  }
  console.log('sum', items.length);
  return items;
}

function pad(s) {
  return ' ' + s;
}

module.exports = { use, pad };
"""
LEXER_RS = """\
enum Token {
    Num(f64),
    Ident(String),
}

fn read() -> Token {
    Token::Num(1.0)
}
"""
FILES = {
    "bot.py": BOT_PY,
    "hooks.js": HOOKS_JS,
    "lexer.rs": LEXER_RS,
    "copy.py": COPY_PY,
    "Counter.java": COUNTER_JAVA,
    "dump.py": DUMP_PY,
    "hook.js": HOOK_JS,
    "Mailer.cs": MAILER_CS,
    "backup.sh": BACKUP_SH,
    "docker-compose.yml": COMPOSE_YAML,
    "steps.yml": STEPS_YAML,
    "settings.toml": SETTINGS_TOML,
    "users.sql": USERS_SQL,
    "basket.css": BASKET_CSS,
    "Dockerfile": DOCKERFILE,
}


def check(path, sentence):
    """The lines that go and those that come, blank ones aside; ``None`` if the request is left to a model."""
    text = FILES[path]
    result = compute_edit(EditRequest("1", text, sentence, path=path))
    if result is None or result.text is None:
        return None
    changes = list(ndiff(text.splitlines(), result.text.splitlines()))
    return tuple(
        [x[2:].strip() for x in changes if x[0] == sign and x[2:].strip()] for sign in "-+"
    )


@pytest.mark.parametrize(
    ("path", "sentence", "gone"),
    [
        ("dump.py", "the pause of 2 in dump is annoying, drop the sleep", ["time.sleep(2)"]),
        ("dump.py", "demo_mode must not ship, take it out together with the comment above", ["# only for the fair", "def demo_mode(self):", "self.speed = 9"]),
        ("dump.py", "--verbose does nothing, drop the option", ['ap.add_argument("--verbose", action="store_true")']),
        ("dump.py", "the X-Mailer header gets us flagged as spam, lose it", ['msg["X-Mailer"] = "dumper"']),
        ("dump.py", "the retries todo won't happen, remove that comment", ["# TODO: retries"]),
        ("dump.py", "two prints in upload are too many, both out", ['print("uploading", name)', 'print("done")']),
        ("dump.py", "nobody reads the 'dumped' output → delete", ['print("dumped", name)']),
        ("dump.py", "the commented prune line can go", ['# prune("*.tmp")']),
        ("copy.py", 'the "finished" print goes', ['print("finished")']),
        ("hook.js", "the 'shown' log spams, remove it", ["console.log('shown', items);"]),
        ("hook.js", "no need to disable etag, nginx does. delete", ["app.disable('etag');"]),
        ("hook.js", "the ping endpoint was for the old monitor, get rid of it", ["app.get('/ping', (req, res) => {", "res.send('pong');", "});"]),
        ("Mailer.cs", "Spam was only for the demo, delete it and the comment above", ["// only for the demo", "public void Spam()", "{", 'Send("x");', "}"]),
        ("Mailer.cs", "the comment on Send is trivial, remove it", ["// sends one mail"]),
        ("backup.sh", "pack with its comment can go, we use zstd", ["# needed by cron", "pack() {", 'gzip -9 "$1"', 'echo "debug: packed"', "}"]),
        ("backup.sh", "the sleep after zstd makes no sense, remove it", ["sleep 5"]),
        ("backup.sh", "drop the debug echo in pack", ['echo "debug: packed"']),
        ("docker-compose.yml", "the debugger port 9229 must not be open, remove it", ['- "9229:9229"']),
        ("docker-compose.yml", "redis is gone, remove the service", ["redis:", "image: redis:7"]),
        ("steps.yml", "throw out the codecov step", ["- name: coverage", "run: npx codecov", "continue-on-error: true"]),
        ("steps.yml", "continue-on-error should not be there. Delete it.", ["continue-on-error: true"]),
        ("settings.toml", "june is over: legacy_exchange goes, and the comment above it", ["# old name, keep until june", 'legacy_exchange = "jobs.v1"']),
        ("settings.toml", "we reload by hand, so the HUP comment goes", ["# reloaded on HUP"]),
        ("users.sql", "nickname is gone, remove the column", ["nickname TEXT,"]),
        ("bot.py", "the one about the query isn't funny, out of the jokes with it", ['"a query walks into a bar",']),
        ("bot.py", "the legacy total has done its job", ["def legacy_total(items):", "return total(items)"]),
        ("bot.py", "delete ping and its entry in COMMANDS", ["def on_ping(msg):", 'msg.reply("pong")', '"ping": on_ping,']),
        ("bot.py", "kick the ping command out (handler and table)", ["def on_ping(msg):", 'msg.reply("pong")', '"ping": on_ping,']),
        ("bot.py", "the rolled message shouldn't be printed", ['print("rolled", fold)']),
        ("bot.py", "commented-out code has no business here, delete it", ['# NODES = ["x"]']),
        ("hooks.js", "clear with its comment can go", ["// nobody calls it", "function clear() {", "items.length = 0;", "}"]),
        ("hooks.js", "i'm tired of the sum thing in the console, drop it", ["console.log('sum', items.length);"]),
        ("lexer.rs", "Token::Ident is never built, take that variant away", ["Ident(String),"]),
        ("docker-compose.yml", "web must not expose 9229 any more, drop that port", ['- "9229:9229"']),
        ("basket.css", "somebody left the red dashed outline in .basket, please take away", ["outline: 1px dashed red;"]),
        ("Dockerfile", "that ls of dist was for debugging, delete the step", ["RUN ls -la dist"]),
        ("Dockerfile", "stage comments are noise, get rid of both", ["# build stage", "# runtime stage"]),
    ],
)  # fmt: skip
def test_what_goes(path, sentence, gone):
    assert check(path, sentence) == (gone, [])


@pytest.mark.parametrize(
    ("path", "sentence", "gone", "come"),
    [
        ("bot.py", "the mq machine was switched off, take it out of HOSTS", ['HOSTS = ["db.local", "mq.local"]'], ['HOSTS = ["db.local"]']),
        ("hooks.js", "delete pad and its export", ["function pad(s) {", "return ' ' + s;", "}", "module.exports = { use, pad };"], ["module.exports = { use };"]),
        ("hooks.js", "the 'sum' log → comment", ["console.log('sum', items.length);"], ["// console.log('sum', items.length);"]),
        ("settings.toml", "echo is wanted again, the line is there as a comment", ["# echo = true"], ["echo = true"]),
        ("dump.py", "re-enable the tmp prune", ['# prune("*.tmp")'], ['prune("*.tmp")']),
        ("dump.py", "comment out the send in upload for a dry run", ["send(name)"], ["# send(name)"]),
        ("hook.js", "comment out the length check in shown", ["if (items.length > 9) track(items);"], ["// if (items.length > 9) track(items);"]),
        ("Mailer.cs", "in Send the audit is commented; activate it again", ["// Audit(to);"], ["Audit(to);"]),
        ("backup.sh", "NAS is in repair until monday, please comment out the rsync", ["rsync -a \\", '"$TARGET/" nas:/backup'], ["# rsync -a \\", '#     "$TARGET/" nas:/backup']),
        ("docker-compose.yml", "bring back the worker service", ["# worker:", "#   image: app"], ["worker:", "image: app"]),
        ("steps.yml", "npm test is flaky, comment that step for the moment", ["- run: npm test"], ["# - run: npm test"]),
        ("settings.toml", "i want sql echo on for a bit, uncomment it", ["# echo = true"], ["echo = true"]),
        ("users.sql", "drop the age column", ["nickname TEXT,", "age INT"], ["nickname TEXT"]),
        ("basket.css", "comment out the display: flex of .basket-line", ["display: flex;"], ["/* display: flex; */"]),
        ("Dockerfile", "turn the healthcheck back on, it's only commented", ["# HEALTHCHECK CMD curl localhost"], ["HEALTHCHECK CMD curl localhost"]),
    ],
)  # fmt: skip
def test_what_changes(path, sentence, gone, come):
    assert check(path, sentence) == (gone, come)


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("dump.py", "remove the retry from upload"),  # none there: upload stays
        ("dump.py", "delete the comment above dump"),
        ("dump.py", "the print in upload is noise, remove it"),  # there are two
        ("dump.py", "all three prints in upload must go"),
        ("dump.py", "--keep is obsolete, drop the option"),  # it is used
        ("dump.py", "drop the name argument of dump"),
        ("dump.py", "kill the upload when the name is empty"),
        ("dump.py", "turn the sleep back on"),
        ("dump.py", "load is slow because of the sleep and the print, remove it"),
        ("dump.py", "remove the sleep... no, just the print in dump"),
        ("Counter.java", "drop BATCH"),  # it is used
        ("hook.js", "remove the length check in shown"),  # and what it guards?
        ("hook.js", "drop items that were shown"),
        ("Mailer.cs", "stop sending mails twice"),
        ("backup.sh", "delete old dumps on the nas"),
        ("docker-compose.yml", "drop the image"),
        ("docker-compose.yml", "remove the volumes of redis"),
        ("steps.yml", "drop node 18"),
        ("settings.toml", "enable the queue"),
        ("users.sql", "remove users without an age"),
        ("basket.css", "remove the display"),
        ("Dockerfile", "remove the stage"),
        ("bot.py", "the fold option isn't used any more, delete the line in on_roll"),  # it is used
        ("bot.py", "delete roll and its test"),  # half of it
        ("bot.py", "we don't know the total any more"),
        ("bot.py", "total is dead code?"),
        ("bot.py", "legacy_total is never called, call it in on_roll"),
        ("bot.py", "on_ping is unused"),  # it is not
        ("bot.py", "sort that total out"),
        ("hooks.js", "console.log(total) leaks data, delete"),  # another call
        ("hooks.js", "delete use and its tests"),
        ("lexer.rs", "the Num variant can go"),
        ("hooks.js", "the sum doesn't work any more"),
    ],
)
def test_what_fits_nothing_or_too_much_is_left(path, sentence):
    assert check(path, sentence) is None


def test_the_user_is_told_which_line_it_was():
    request = EditRequest("1", DUMP_PY, "no need to sleep in dump, take that out", path="dump.py")
    result = compute_edit(request)
    assert result is not None
    assert result.summary.startswith('Read as "delete line 7: time.sleep(2)".')
