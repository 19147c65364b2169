# SPDX-License-Identifier: Apache-2.0
"""contender: tidemark and Debezium (in Connect standalone) behind one face: start, stop, pid, topic.

Both follow the same server from the same place, write to the same broker, with the settings of a plain installation;
`tuned` is what Debezium's users set for throughput.
"""
import json
import os
import shutil

from harness import Process, Tidemark, Unavailable, free_port

TUNED = {"max.batch.size": 8192, "max.queue.size": 65536, "poll.interval.ms": 20, "producer.override.batch.size": 1048576,
         "producer.override.linger.ms": 50, "producer.override.compression.type": "lz4",
         "producer.override.buffer.memory": 134217728}


def send_signal(kafka, prefix, kind, data):
    kafka.produce(f"{prefix}-signal", json.dumps({"id": kind, "type": kind, "data": data}), key=prefix, partition=0)


class TidemarkContender(Tidemark):
    short = "tidemark"

    def __init__(self, scratch, mysql, kafka, prefix, schemas=False, compression=None):
        properties = Tidemark.base(mysql, kafka, prefix)
        properties.update({"database.include.list": "bench", "key.converter.schemas.enable": schemas,
                           "value.converter.schemas.enable": schemas, "signal.enabled.channels": "kafka",
                           "signal.kafka.topic": f"{prefix}-signal"})
        if compression:
            properties["producer.override.compression.type"] = compression
        super().__init__(scratch, {key: str(value).lower() if isinstance(value, bool) else value
                                   for key, value in properties.items()}, name=prefix)
        self.prefix = prefix

    def wait_streaming(self):
        self.wait_for_log("reading the log", 60)

    def signal(self, kafka, kind, data):
        send_signal(kafka, self.prefix, kind, data)


class DebeziumContender(Process):
    short = "debezium"

    def __init__(self, scratch, mysql, kafka, prefix, schemas=False, compression=None, tuned=False):
        jars, kafka_jars = os.environ.get("TIDEMARK_DEBEZIUM_LIB", ""), os.environ.get("TIDEMARK_KAFKA_LIB", "")
        if not shutil.which("java") or not os.path.isdir(jars):
            raise Unavailable("there are no Debezium jars here (./dev bench makes them available)")
        folder = scratch.folder(prefix)
        self.prefix = prefix
        json = "org.apache.kafka.connect.json.JsonConverter"
        worker = {"bootstrap.servers": kafka.bootstrap, "key.converter": json, "value.converter": json,
                  "key.converter.schemas.enable": str(schemas).lower(),
                  "value.converter.schemas.enable": str(schemas).lower(), "offset.storage.file.filename": folder / "offsets",
                  "offset.flush.interval.ms": 5000, "listeners": f"http://127.0.0.1:{free_port()}",
                  "plugin.discovery": "hybrid_warn"}
        connector = {"name": prefix, "connector.class": "io.debezium.connector.mysql.MySqlConnector", "tasks.max": 1,
                     "database.hostname": mysql.host, "database.port": mysql.port, "database.user": "debezium",
                     "database.password": "debezium", "database.server.id": 9000 + mysql.port % 1000, "topic.prefix": prefix,
                     "database.include.list": "bench", "read.only": "true", "snapshot.mode": "no_data",
                     "snapshot.locking.mode": "none",
                     "schema.history.internal.kafka.bootstrap.servers": kafka.bootstrap,
                     "schema.history.internal.kafka.topic": f"{prefix}-history",
                     "signal.enabled.channels": "kafka", "signal.kafka.topic": f"{prefix}-signal",
                     "signal.kafka.bootstrap.servers": kafka.bootstrap, **(TUNED if tuned else {})}
        if compression:
            connector["producer.override.compression.type"] = compression
        for name, settings in (("worker", worker), ("connector", connector)):
            (folder / name).write_text("".join(f"{key}={value}\n" for key, value in settings.items()))
        kafka.create_topic(f"{prefix}-signal")
        mysql.sql("CREATE USER IF NOT EXISTS debezium IDENTIFIED BY 'debezium'")
        mysql.sql("GRANT SELECT, RELOAD, SHOW DATABASES, REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO debezium")
        super().__init__(prefix, ["java", "-Xms256m", "-Xmx4g" if tuned else "-Xmx2g",
                                  "-Dorg.slf4j.simpleLogger.showDateTime=true", "-cp", f"{jars}/*:{kafka_jars}/*",
                                  "org.apache.kafka.connect.cli.ConnectStandalone", folder / "worker", folder / "connector"],
                         folder / "log")

    def wait_streaming(self):
        self.wait_for_log("Connected to binlog at|Connected to MySQL binlog", 120)

    def signal(self, kafka, kind, data):
        send_signal(kafka, self.prefix, kind, data)
