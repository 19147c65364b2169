# SPDX-License-Identifier: Apache-2.0
"""What a live test asks for by name.

  mysql, kafka    a server and a broker shared by the whole run: use names.database and names.prefix, change no global setting
  rough_mysql, rough_kafka
                  the same, to be restarted, killed, purged and set otherwise: a test leaves them running and as they were
  plain_mysql     rough too, and without GTIDs
  new_mysql(…)    a server, replica or broker of the test's own, ended with it: for restarts, kills, settings
  new_kafka(…)
  new_proxy(…)    a wire of the test's own
  tidemark(…)     a program of the test's own, killed with it
  names           names that no other test has
  seed            for a test's random numbers
"""
import hashlib
import os
import random
import re
from types import SimpleNamespace

import pytest

from harness import Kafka, MySql, Proxy, Scratch, Tidemark, Unavailable


KEPT = pytest.StashKey()  # scratch folders that outlive the run, of all workers


def pytest_configure(config):
    config.stash[KEPT] = []


def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):  # a worker of several tells it to the one that prints
        session.config.workeroutput["kept"] = [str(path) for path in session.config.stash[KEPT] if path]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    node.config.stash[KEPT] += getattr(node, "workeroutput", {}).get("kept", [])


def pytest_terminal_summary(terminalreporter, config):
    for kept in filter(None, config.stash[KEPT]):
        terminalreporter.write_line(f"the files of this run are kept in {kept}")


def available(make):
    """Makes something, or says why the test is skipped; in CI nothing may be missing."""
    try:
        return make()
    except Unavailable as why:
        if os.environ.get("CI", "").lower() in ("true", "1"):
            pytest.fail(str(why))
        pytest.skip(str(why))


@pytest.fixture(scope="session")
def scratch(request):
    scratch = Scratch("live")
    yield scratch
    if request.session.testsfailed:
        scratch.keep = True
    request.config.stash[KEPT].append(scratch.close())


@pytest.fixture(scope="session")
def mysql(scratch):
    server = available(lambda: MySql(scratch, "shared-mysql"))
    server.start().create_user()
    yield server
    server.kill()


@pytest.fixture(scope="session")
def kafka(scratch):
    broker = available(lambda: Kafka(scratch, "shared-kafka"))
    broker.start()
    yield broker
    broker.close()


def rough_server(scratch, name, options=None):
    server = available(lambda: MySql(scratch, name, options))
    server.start().create_user()
    yield server
    server.kill()


@pytest.fixture(scope="session")
def rough_mysql_of_all(scratch):
    yield from rough_server(scratch, "rough-mysql")


@pytest.fixture(scope="session")
def plain_mysql_of_all(scratch):
    yield from rough_server(scratch, "plain-mysql", {"gtid-mode": "OFF", "enforce-gtid-consistency": "OFF"})


@pytest.fixture(scope="session")
def rough_kafka_of_all(scratch):
    broker = available(lambda: Kafka(scratch, "rough-kafka", proxied=True))
    broker.start()
    yield broker
    broker.close()


def left_running(server):
    """The server; after a test that failed it runs again for the next one."""
    yield server
    if server.is_running():
        server.thaw()
    else:
        server.start()


@pytest.fixture
def rough_mysql(rough_mysql_of_all):
    yield from left_running(rough_mysql_of_all)


@pytest.fixture
def plain_mysql(plain_mysql_of_all):
    yield from left_running(plain_mysql_of_all)


@pytest.fixture
def rough_kafka(rough_kafka_of_all):
    yield from left_running(rough_kafka_of_all)
    rough_kafka_of_all.proxy.thaw()
    rough_kafka_of_all.proxy.refuse(False)
    rough_kafka_of_all.proxy.bytes_per_second = None


@pytest.fixture
def new_mysql(scratch, names):
    servers = []

    def make(options=None, replica_of=None, user=True, start=True, **more):
        name = f"{names.short}-mysql"
        if replica_of:
            server = available(lambda: replica_of.make_replica(scratch, name, options, **more))
        else:
            server = available(lambda: MySql(scratch, name, options, **more))
            if start:
                server.start()
                if user:
                    server.create_user()
        servers.append(server)
        return server
    yield make
    for server in reversed(servers):
        server.kill()


@pytest.fixture
def new_kafka(scratch, names):
    brokers = []

    def make(settings=None, start=True, **more):
        broker = available(lambda: Kafka(scratch, f"{names.short}-kafka", settings, **more))
        brokers.append(broker)
        return broker.start() if start else broker
    yield make
    for broker in brokers:
        broker.close()


@pytest.fixture
def new_proxy():
    proxies = []

    def make(target):
        proxies.append(Proxy(target).start())
        return proxies[-1]
    yield make
    for proxy in proxies:
        proxy.close()


@pytest.fixture
def names(request):
    """database and prefix (also the topic prefix) of this test alone; short, for files."""
    plain = re.sub(r"\W+", "_", request.node.name).strip("_").lower()
    unique = f"{plain[:30].strip('_')}_{hashlib.sha256(request.node.nodeid.encode()).hexdigest()[:5]}"
    return SimpleNamespace(database=unique, prefix=unique, short=plain[:20].strip("_"))


@pytest.fixture
def seed(request):
    """TIDEMARK_SEED, if set. Else a short test says the same each time it is run, and a long one looks further each time."""
    usual = random.randrange(1 << 30) if request.node.get_closest_marker("long") else 1
    number = int(os.environ.get("TIDEMARK_SEED", usual))
    print("TIDEMARK_SEED", number)
    return number


@pytest.fixture
def tidemark(request, scratch, names):
    """tidemark(mysql, kafka, key=value…) makes one with base properties, or tidemark(properties={…}); start() is the test's."""
    programs = []

    def make(mysql=None, kafka=None, properties=None, env=None, prefix=None, arguments=(), **more):
        if properties is None:
            properties = Tidemark.base(mysql, kafka, prefix or names.prefix, **more)
        program = available(lambda: Tidemark(scratch, properties, f"{names.short}-tidemark", env=env, arguments=arguments))
        programs.append(program)
        return program
    yield make
    for program in programs:
        program.kill()
    if getattr(request.node, "failed", False):
        for program in programs:
            print(f"---- {program.name}: {program.tail(60)}")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.when == "call":
        item.failed = report.failed
