# SPDX-License-Identifier: Apache-2.0
"""faults: what a soak does to the program, its servers and the wires between them, one at a time, at random.

Servers are ended and started by the thread that asks for snapshots too, so a signal is never sent to a broker that is away.
"""
import random
import time
from collections import Counter


class Faults:
    """faults(heart) makes one of them, often none; `made` counts."""

    def __init__(self, seed, topology, broker, wire):
        self.rng, self.topology, self.broker, self.wire = random.Random(seed), topology, broker, wire
        self.made = Counter()
        self.kinds = [(6, self.kill), (3, self.stop), (2, self.pause), (6, self.cut_mysql), (2, self.hang_mysql),
                      (3, self.cut_kafka), (2, self.hang_kafka), (2, self.kill_mysql), (1, self.restart_mysql),
                      (2, self.freeze_mysql), (1, self.kill_kafka), (1, self.restart_kafka), (2, self.freeze_kafka),
                      (3, self.switch)]

    def __call__(self, heart):
        assert heart.run.program.is_running(), f"it ended by itself: {heart.run.program.tail(30)}"
        if self.rng.random() < 0.6:
            return
        weights, works = zip(*self.kinds)
        work, = self.rng.choices(works, weights)
        self.made[work.__name__.replace("_", " ")] += 1
        work(heart)

    def _wait(self, most):
        time.sleep(self.rng.random() * most)

    # ---- the program

    def kill(self, heart):
        heart.run.program.kill()
        heart.run.start()

    def stop(self, heart):
        heart.run.program.stop()
        heart.run.start()

    def pause(self, heart):
        heart.run.program.freeze()
        self._wait(12)
        heart.run.program.thaw()

    # ---- wires

    def cut_mysql(self, heart):
        self.wire.cut()

    def hang_mysql(self, heart):
        self._hang(self.wire)

    def cut_kafka(self, heart):
        self.broker.proxy.cut()

    def hang_kafka(self, heart):
        self._hang(self.broker.proxy)

    def _hang(self, wire):
        wire.freeze()
        self._wait(15)
        wire.thaw()

    # ---- servers

    def _followed(self):
        return next(server for server in self.topology if server.port == self.wire.target[1])

    def kill_mysql(self, heart):
        server = self._followed()
        server.kill()
        self._wait(3)
        server.start()

    def restart_mysql(self, heart):
        self._followed().restart()

    def freeze_mysql(self, heart):
        server = self._followed()
        server.freeze()
        self._wait(8)
        server.thaw()

    def kill_kafka(self, heart):
        self.broker.kill()
        self._wait(3)
        self.broker.start()

    def restart_kafka(self, heart):
        self.broker.restart()

    def freeze_kafka(self, heart):
        self.broker.freeze()
        self._wait(15)
        self.broker.thaw()

    def switch(self, heart):
        """To another server of the topology: the address stays, who answers there does not."""
        server = self.rng.choice([server for server in self.topology if server.port != self.wire.target[1]])
        self.wire.target = (server.host, server.port)
        self.wire.cut()
