# SPDX-License-Identifier: Apache-2.0
"""The README's way to one's own replica, word by word: its SQL, its configuration and its commands, with only the addresses of
the server and the broker put in. Then the commands of docs/snapshots.md against the same instance."""
import json
import os
import re
import subprocess
import textwrap

import pytest
from harness import wait_for
from harness.program import binary, sanitizer_environment
from harness.scratch import CHECKOUT

SECTION = "## Five minutes to your own replica"


def blocks(page, language, after=""):
    """The fenced blocks of a page in this language, from a heading on."""
    text = (CHECKOUT / page).read_text()
    text = text[text.index(after):]
    return [textwrap.dedent(block) for block in re.findall(rf"^ *```{language}\n(.*?)^ *```", text, re.S | re.M)]


def commands(page, after=""):
    """The commands of tidemark that a page shows in blocks, without their comments."""
    return [line.split("  #")[0].strip() for block in blocks(page, "sh", after) for line in block.splitlines()
            if line.startswith("tidemark ")]


def inline_commands(after):
    text = (CHECKOUT / "README.md").read_text()
    text = text[text.index(after):text.index("\n## ", text.index(after) + 1)]
    return re.findall(r"`(tidemark [^`]*)`", text)


@pytest.fixture
def source(new_mysql):
    """The reader's server: a shop, and the user made by the page's statements."""
    server = new_mysql(user=False)
    server.sql("CREATE DATABASE shop; CREATE TABLE shop.orders (id INT PRIMARY KEY, item VARCHAR(20));"
              "INSERT INTO shop.orders VALUES (1000, 'lamp'), (1001, 'chair')")
    server.sql(blocks("README.md", "sql", SECTION)[0])
    return server


@pytest.fixture
def folder(scratch, source, kafka, names):
    """Where the reader works: shop.properties, and the program on the search path."""
    folder = scratch.folder(names.short)
    text = blocks("README.md", "properties", SECTION)[0]
    for shown, real in {"replica1.example.net": source.host, "port=3306": f"port={source.port}",
                        "kafka1.example.net:9092": kafka.bootstrap}.items():
        assert text.count(shown) == 1, f"the page's configuration has not one {shown}"
        text = text.replace(shown, real)
    (folder / "shop.properties").write_text(text)
    (folder / "tidemark").symlink_to(binary())
    return folder


def test_five_minutes_to_a_replica(folder, source, kafka):
    env = {**os.environ, **sanitizer_environment(), "PATH": f"{folder}:{os.environ['PATH']}", "SHOP_PASSWORD": "secret"}

    def call(command, code=0):
        done = subprocess.run(command, shell=True, cwd=folder, env=env, capture_output=True, text=True, timeout=120)
        assert done.returncode == code, f"{command} ended with {done.returncode}: {done.stdout}{done.stderr}"
        return done.stdout
    check, run = commands("README.md", SECTION)
    show, ask = inline_commands(SECTION)
    assert "can be followed" in call(check)
    with open(folder / "log", "w") as log:
        program = subprocess.Popen(f"exec {run}", shell=True, cwd=folder, env=env, stdout=log, stderr=log)
    try:
        wait_for(lambda: "ready: all" in (folder / "log").read_text(), 60, "the stream")
        wait_for(lambda: "the initial snapshot has ended" in (folder / "log").read_text(), 60, "the rows that are there")
        source.sql("INSERT INTO shop.orders VALUES (1002, 'table')")
        told = [json.loads(record.value)["payload"] for record in kafka.consume("shop.shop.orders", until=3)]
        assert [(payload["op"], payload["after"]["id"]) for payload in told] == [("r", 1000), ("r", 1001), ("c", 1002)]
        assert told[-1]["after"] == {"id": 1002, "item": "table"}
        assert "shop" in call(show)
        call(ask)
        assert len(kafka.consume("shop.shop.orders", until=6)) == 6
        read_where, *others = commands("docs/snapshots.md")
        call(read_where)
        assert len(kafka.consume("shop.shop.orders", until=8)) == 8
        for command in others:
            call(command)
    finally:
        program.terminate()
        ended = program.wait(60)
    assert ended == 0, (folder / "log").read_text()
