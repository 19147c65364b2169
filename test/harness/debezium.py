# SPDX-License-Identifier: Apache-2.0
"""debezium: the reference itself, as one worker of distributed Kafka Connect with one connector."""
import json
import os
import shutil
import urllib.error
import urllib.request

from .process import Process
from .scratch import Unavailable, free_port, wait_for

CONVERTER = "org.apache.kafka.connect.json.JsonConverter"


class Debezium(Process):
    """connect() makes the connector, stop_connector() ends it with its offset stored; kill() leaves it as it stands."""

    def __init__(self, scratch, mysql, kafka, prefix, **more):
        jars, kafka_jars = os.environ.get("TIDEMARK_DEBEZIUM_LIB", ""), os.environ.get("TIDEMARK_KAFKA_LIB", "")
        if not shutil.which("java") or not os.path.isdir(jars):
            raise Unavailable("there are no Debezium jars here (./dev bench makes them available)")
        self.folder = scratch.folder(f"{prefix}-debezium")
        self.kafka, self.prefix = kafka, prefix
        self.offsets_topic, self.history_topic = f"{prefix}-connect-offsets", f"{prefix}-history"
        self.signal_topic = f"{prefix}-signal"
        self.url = f"http://127.0.0.1:{free_port()}"
        worker = {"bootstrap.servers": kafka.bootstrap, "group.id": f"{prefix}-connect", "key.converter": CONVERTER,
                  "value.converter": CONVERTER, "key.converter.schemas.enable": "false",
                  "value.converter.schemas.enable": "false", "offset.storage.topic": self.offsets_topic,
                  "offset.storage.replication.factor": 1, "offset.storage.partitions": 3,
                  "config.storage.topic": f"{prefix}-connect-configs", "config.storage.replication.factor": 1,
                  "status.storage.topic": f"{prefix}-connect-status", "status.storage.replication.factor": 1,
                  "offset.flush.interval.ms": 500, "listeners": self.url, "plugin.discovery": "hybrid_warn"}
        (self.folder / "worker").write_text("".join(f"{key}={value}\n" for key, value in worker.items()))
        self.config = {"connector.class": "io.debezium.connector.mysql.MySqlConnector", "tasks.max": "1",
                       "database.hostname": mysql.host, "database.port": str(mysql.port), "database.user": "debezium",
                       "database.password": "debezium", "database.server.id": str(9000 + mysql.port % 1000),
                       "topic.prefix": prefix, "read.only": "true", "snapshot.mode": "no_data",
                       "snapshot.locking.mode": "none", "schema.history.internal.kafka.bootstrap.servers": kafka.bootstrap,
                       "schema.history.internal.kafka.topic": self.history_topic, "signal.enabled.channels": "kafka",
                       "signal.kafka.topic": self.signal_topic, "signal.kafka.bootstrap.servers": kafka.bootstrap,
                       **{key.replace("_", "."): value for key, value in more.items()}}
        if self.signal_topic not in kafka.topics():
            kafka.create_topic(self.signal_topic)
        mysql.sql("CREATE USER IF NOT EXISTS debezium IDENTIFIED BY 'debezium'")
        mysql.sql("GRANT SELECT, RELOAD, SHOW DATABASES, REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO debezium")
        super().__init__(f"{prefix}-debezium", [
            "java", "-Xms128m", "-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.showDateTime=true",
            "-cp", f"{jars}/*:{kafka_jars}/*", "org.apache.kafka.connect.cli.ConnectDistributed", self.folder / "worker"],
            self.folder / "log")

    def start(self):
        super().start()
        wait_for(self._answers, 120, lambda: f"Connect to answer; {self.tail()}", every=0.3)
        return self

    def _answers(self):
        if not self.is_running():
            raise RuntimeError(self.tail(60))
        try:
            return self.ask("GET", "/connectors") is not None
        except (OSError, AssertionError):  # not listening yet, or not with all its doors
            return False

    def ask(self, method, path, body=None):
        """One call of Connect's REST door; its answer, None when there is none."""
        request = urllib.request.Request(self.url + path, method=method,
                                         data=None if body is None else json.dumps(body).encode(),
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.code} {error.read().decode()}") from None
        return json.loads(text) if text else None

    def connect(self, **more):
        """Makes the connector (or gives it another configuration) and waits until it reads the log."""
        self.config.update({key.replace("_", "."): value for key, value in more.items()})
        mark = self.log.stat().st_size
        self.ask("PUT", f"/connectors/{self.prefix}/config", self.config)
        self.wait_streaming(mark)
        return self

    def tasks(self):
        """Their states; none when the connector was made a moment ago."""
        try:
            return self.ask("GET", f"/connectors/{self.prefix}/status")["tasks"]
        except AssertionError:
            return []

    def wait_streaming(self, mark=0, timeout=120):
        def streams():
            assert self.is_running(), self.tail(60)
            failed = [task["trace"] for task in self.tasks() if task["state"] == "FAILED"]
            assert not failed, failed[0][:3000]
            return b"Keepalive thread is running" in self.log.read_bytes()[mark:]
        wait_for(streams, timeout, lambda: f"Debezium to stream; {self.tail(60)}", every=0.3)

    def stop_connector(self):
        """Its tasks are gone and their last offset is stored; it can be given another one now."""
        self.ask("PUT", f"/connectors/{self.prefix}/stop")
        wait_for(lambda: not self.tasks(), 60, "the task to end", every=0.2)

    def resume_connector(self):
        mark = self.log.stat().st_size
        self.ask("PUT", f"/connectors/{self.prefix}/resume")
        self.wait_streaming(mark)

    def offset(self):
        """The offset as Connect's REST door gives it, or None."""
        offsets = self.ask("GET", f"/connectors/{self.prefix}/offsets")["offsets"]
        return offsets[0]["offset"] if offsets else None

    def set_offsets(self, body):
        return self.ask("PATCH", f"/connectors/{self.prefix}/offsets", body)

    def signal(self, kind, data, **more):
        self.kafka.produce(self.signal_topic, json.dumps({"type": kind, "data": data, **more}), key=self.prefix)
