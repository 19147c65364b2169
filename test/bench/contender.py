# SPDX-License-Identifier: Apache-2.0
"""contender: tidemark and Debezium (in Connect standalone) behind one face: start, stop, pid, prefix, signal.

All follow the same server from the same place, write to the same broker, with the settings of a plain installation and what
the row asks for (Setup). `tuned` is Debezium with what its users set for throughput.
"""
import json
import os
import shutil
from dataclasses import dataclass

from harness import Process, Tidemark, Unavailable, free_port

TUNED = {"max.batch.size": 8192, "max.queue.size": 65536, "poll.interval.ms": 20, "producer.override.batch.size": 1048576,
         "producer.override.linger.ms": 50, "producer.override.compression.type": "lz4",
         "producer.override.buffer.memory": 134217728}

JSON = "org.apache.kafka.connect.json.JsonConverter"


@dataclass(frozen=True)
class Setup:
    """What a row asks of all contenders alike."""
    schemas: bool = False
    compression: str = None
    snapshot: str = "no_data"
    partitions: int = 1  # of each topic
    wired: bool = False  # the broker is reached by the long way
    signals: bool = False  # is told when to read a table, and tells when that is done


def _common(mysql, kafka, prefix, setup):
    """Settings that both programs know."""
    settings = {"topic.prefix": prefix, "database.include.list": "bench", "snapshot.mode": setup.snapshot}
    if setup.signals:
        settings.update({"signal.enabled.channels": "kafka", "signal.kafka.topic": f"{prefix}-signal",
                         "signal.kafka.bootstrap.servers": _bootstrap(kafka, setup),
                         "notification.enabled.channels": "sink", "notification.sink.topic.name": f"{prefix}-notes"})
    if setup.compression:
        settings["producer.override.compression.type"] = setup.compression
    return settings


def _bootstrap(kafka, setup):
    return kafka.proxied if setup.wired else kafka.bootstrap


def _send_signal(kafka, prefix, kind, data):
    kafka.produce(f"{prefix}-signal", json.dumps({"id": kind, "type": kind, "data": data}), key=prefix, partition=0)


class TidemarkContender(Tidemark):
    short = "tidemark"

    def __init__(self, scratch, mysql, kafka, prefix, setup):
        super().__init__(scratch, {**Tidemark.base(mysql, kafka, prefix), **_common(mysql, kafka, prefix, setup),
                                   "bootstrap.servers": _bootstrap(kafka, setup),
                                   "key.converter.schemas.enable": setup.schemas,
                                   "value.converter.schemas.enable": setup.schemas}, name=prefix)
        self.prefix = prefix

    def wait_streaming(self):
        self.wait_for_log("reading the log", 60)

    def signal(self, kafka, kind, data):
        _send_signal(kafka, self.prefix, kind, data)


class DebeziumContender(Process):
    short = "debezium"
    heap = "2g"
    settings = {}

    def __init__(self, scratch, mysql, kafka, prefix, setup):
        jars, kafka_jars = os.environ.get("TIDEMARK_DEBEZIUM_LIB", ""), os.environ.get("TIDEMARK_KAFKA_LIB", "")
        if not shutil.which("java") or not os.path.isdir(jars):
            raise Unavailable("there are no Debezium jars here (./dev bench makes them available)")
        folder, bootstrap = scratch.folder(prefix), _bootstrap(kafka, setup)
        self.prefix = prefix
        worker = {"bootstrap.servers": bootstrap, "key.converter": JSON, "value.converter": JSON,
                  "key.converter.schemas.enable": str(setup.schemas).lower(),
                  "value.converter.schemas.enable": str(setup.schemas).lower(),
                  "offset.storage.file.filename": folder / "offsets", "offset.flush.interval.ms": 5000,
                  "listeners": f"http://127.0.0.1:{free_port()}", "plugin.discovery": "hybrid_warn"}
        connector = {"name": prefix, "connector.class": "io.debezium.connector.mysql.MySqlConnector", "tasks.max": 1,
                     "database.hostname": mysql.host, "database.port": mysql.port, "database.user": "debezium",
                     "database.password": "debezium", "database.server.id": 9000 + mysql.port % 1000, "read.only": "true",
                     "snapshot.locking.mode": "none", "schema.history.internal.kafka.bootstrap.servers": bootstrap,
                     "schema.history.internal.kafka.topic": f"{prefix}-history", **_common(mysql, kafka, prefix, setup), **self.settings}
        for name, settings in (("worker", worker), ("connector", connector)):
            (folder / name).write_text("".join(f"{key}={value}\n" for key, value in settings.items()))
        mysql.sql("CREATE USER IF NOT EXISTS debezium IDENTIFIED BY 'debezium'")
        mysql.sql("GRANT SELECT, RELOAD, SHOW DATABASES, REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO debezium")
        super().__init__(prefix, ["java", "-Xms256m", f"-Xmx{self.heap}", "-Dorg.slf4j.simpleLogger.showDateTime=true",
                                  "-cp", f"{jars}/*:{kafka_jars}/*", "org.apache.kafka.connect.cli.ConnectStandalone",
                                  folder / "worker", folder / "connector"], folder / "log")

    def wait_streaming(self):
        self.wait_for_log("Connected to binlog at|Connected to MySQL binlog", 120)

    def signal(self, kafka, kind, data):
        _send_signal(kafka, self.prefix, kind, data)


class TunedContender(DebeziumContender):
    short = "tuned"
    heap = "4g"
    settings = TUNED


CONTENDERS = {one.short: one for one in (TidemarkContender, DebeziumContender, TunedContender)}
