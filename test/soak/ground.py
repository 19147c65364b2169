# SPDX-License-Identifier: Apache-2.0
"""ground: what a part of ./dev soak large stands on: a server, a broker and one program of its own."""
from harness import Kafka, MySql, Scratch, Tidemark

MIB, GIB = 1 << 20, 1 << 30
SERVER = {"max-binlog-size": "1G", "sync-binlog": 1, "table-open-cache": 2000, "table-definition-cache": 2000,
          "open-files-limit": 20000, "cte-max-recursion-depth": 10_000_000}
PLAIN = {"key_converter_schemas_enable": False, "value_converter_schemas_enable": False,
         "producer_override_compression_type": "lz4"}


class Ground:
    def __init__(self, label):
        self.scratch = Scratch("large")
        self.source = MySql(self.scratch, "source", SERVER).start().create_user()
        self.broker = Kafka(self.scratch, "kafka", heap="1g").start()
        self.label, self.program = label, None

    def follow(self, **more):
        properties = Tidemark.base(self.source, self.broker, self.label, **PLAIN, **more)
        self.program = Tidemark(self.scratch, properties, "tidemark")
        return self.program

    def close(self, keep):
        for process in (self.program, self.source):
            if process:
                process.kill()
        self.broker.close()
        self.scratch.keep = self.scratch.keep or keep
        return self.scratch.close()


def hold_memory(program, most, what):
    peak = program.peak_rss()
    print(f"  {what}: {peak / MIB:.1f} MiB at most", flush=True)
    assert peak < most, f"{what}: {peak} bytes of memory, the bound is {most}"
