# SPDX-License-Identifier: Apache-2.0
"""The heart test: whatever writers, signals, kills and cuts do, a consumer ends with the source's tables and sees no key go
back in time. Seeds are printed; HEART_SEED repeats one, or several with
commas between them."""
import os
import random

import pytest

from conftest import rough_server
from heart import Heart

SETTINGS = {"binlog-order-commits": "OFF"}


@pytest.fixture(scope="module")
def source(scratch):
    yield from rough_server(scratch, "heart-mysql", SETTINGS)


@pytest.fixture(scope="module")
def origin(scratch):
    """The replica's own source: it would have to catch up with all that the tests did to another."""
    yield from rough_server(scratch, "heart-origin", SETTINGS)


@pytest.fixture(scope="module")
def replica(scratch, origin):
    server = origin.make_replica(scratch, "heart-replica", {**SETTINGS, "replica-preserve-commit-order": "OFF"}, workers=8)
    yield server
    server.kill()


@pytest.fixture(scope="module")
def plain(scratch):
    yield from rough_server(scratch, "heart-plain", {**SETTINGS, "gtid-mode": "OFF", "enforce-gtid-consistency": "OFF"})


def beat(seed, server, kafka, tidemark, names, new_proxy, between=None, **more):
    print(f"HEART_SEED={seed}")
    wire = new_proxy(("127.0.0.1", server.port))
    heart = Heart(seed, server, kafka, tidemark, names, wire, is_rough=between is not None, **more)
    heart.go(between=between)
    heart.run.program.stop()


def one_restart(seed, server):
    """For one run in two: an act after which the server is stopped or killed, and started again."""
    rng = random.Random(seed)
    acts = iter(range(rng.randrange(30), -1, -1)) if rng.random() < 0.5 else iter(())

    def between(_):
        if next(acts, None) == 0:
            rng.choice([server.stop, server.kill])()
            server.start()
    return between


def seeds(count):
    fixed = os.environ.get("HEART_SEED")
    return [int(seed) for seed in fixed.split(",")] if fixed else [random.randrange(1 << 24) for _ in range(count)]


def test_consumer_ends_with_the_tables_of_a_source(source, kafka, tidemark, names, new_proxy):
    for seed in seeds(2):
        beat(seed, source, kafka, tidemark, names, new_proxy)


def test_consumer_ends_with_the_tables_of_a_replica(replica, kafka, tidemark, names, new_proxy):
    for seed in seeds(2):
        beat(seed, replica, kafka, tidemark, names, new_proxy)


def test_consumer_ends_with_the_tables_of_a_source_without_gtids(plain, kafka, tidemark, names, new_proxy):
    for seed in seeds(1):
        beat(seed, plain, kafka, tidemark, names, new_proxy)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("place", ["source", "replica", "plain"])
def test_consumer_ends_with_the_tables_in_many_runs(place, request, kafka, tidemark, names, new_proxy):
    server = request.getfixturevalue(place)
    for seed in seeds(67):
        beat(seed, server, kafka, tidemark, names, new_proxy, between=one_restart(seed, server))


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("broken", ["no-barrier", "no-drop", "early-high", "any-order"])
def test_each_step_that_is_left_out_is_noticed(broken, source, kafka, tidemark, names, new_proxy):
    for seed in seeds(50):
        try:
            beat(seed, source, kafka, tidemark, names, new_proxy, breaks=broken, is_lagging=broken == "any-order")
        except AssertionError as fault:
            print(f"noticed: {str(fault)[:300]}")
            assert "seed" in str(fault)
            return
    pytest.fail(f"nothing was noticed without {broken}")
