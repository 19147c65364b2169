# SPDX-License-Identifier: Apache-2.0
"""kafka: a real Kafka broker (KRaft, one node) in the scratch folder, and what a consumer sees in it."""
import os
import shutil
import subprocess
import time
from collections import namedtuple
from pathlib import Path

from confluent_kafka import (Consumer, IsolationLevel, KafkaError, KafkaException, Producer,
                             TopicPartition)
from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource, NewTopic, OffsetSpec

from .process import Process
from .proxy import Proxy
from .scratch import Scratch, Unavailable, free_port, made_once, state_folder, wait_for

SETTINGS = {
    "process.roles": "broker,controller",
    "node.id": 1,
    "controller.listener.names": "CONTROLLER",
    "num.partitions": 1,
    "auto.create.topics.enable": "true",
    "offsets.topic.replication.factor": 1,
    "offsets.topic.num.partitions": 1,
    "transaction.state.log.replication.factor": 1,
    "transaction.state.log.min.isr": 1,
    "transaction.state.log.num.partitions": 1,
    "share.coordinator.state.topic.replication.factor": 1,
    "share.coordinator.state.topic.min.isr": 1,
    "group.initial.rebalance.delay.ms": 0,
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": 500,
    "message.max.bytes": 100 * 1024 * 1024,
    "replica.fetch.max.bytes": 100 * 1024 * 1024,
    "socket.request.max.bytes": 200 * 1024 * 1024,
    "log.segment.delete.delay.ms": 1000,
    "log.cleaner.dedupe.buffer.size": 8 * 1024 * 1024,
    "log.cleaner.backoff.ms": 1000,
    "broker.session.timeout.ms": 2000,  # a restarted broker is refused for as long
    "broker.heartbeat.interval.ms": 300,
}

Record = namedtuple("Record", "topic partition offset timestamp key value headers")
Record.__doc__ = "What a consumer got: key and value as bytes or None, headers as a list of (name, bytes), timestamp in ms."


class Kafka(Process):
    """A broker. With proxied=True, self.proxy stands before a second listener at self.proxied; with a number there are so
    many, wires[i] before the listener at wired[i], so that one client can be cut off and another not.
    With users={name: password} there is a listener at self.secured for them, and nobody may do anything but who comes
    through the others, and what `allow` says."""

    def __init__(self, scratch, name="kafka", settings=None, heap="512m", proxied=False, users=None):
        self.jars = os.environ.get("TIDEMARK_KAFKA_LIB", "")
        if not shutil.which("java") or not list(Path(self.jars or "/nowhere").glob("kafka_*.jar")):
            raise Unavailable("there is no Java or there are no Kafka jars here (./dev in makes them available)")
        self.folder = scratch.folder(name)
        port, controller = free_port(), free_port()
        self.bootstrap = f"127.0.0.1:{port}"
        listeners = f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}"
        advertised = f"PLAINTEXT://127.0.0.1:{port}"
        protocols = "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT"
        self.wires, self.wired = [], []
        for number in range(int(proxied)):
            behind, listener = free_port(), f"PROXIED{number}"
            self.wires.append(Proxy(("127.0.0.1", behind)).start())
            self.wired.append(f"127.0.0.1:{self.wires[-1].port}")
            listeners += f",{listener}://127.0.0.1:{behind}"
            advertised += f",{listener}://{self.wired[-1]}"
            protocols += f",{listener}:PLAINTEXT"
        self.secured, more = None, {}
        if users is not None:
            secured = free_port()
            self.secured = f"127.0.0.1:{secured}"
            listeners += f",SECURED://{self.secured}"
            advertised += f",SECURED://{self.secured}"
            protocols += ",SECURED:SASL_PLAINTEXT"
            logins = " ".join(f'user_{name}="{password}"' for name, password in users.items())
            more = {"listener.name.secured.sasl.enabled.mechanisms": "PLAIN",
                    "listener.name.secured.plain.sasl.jaas.config":
                        f"org.apache.kafka.common.security.plain.PlainLoginModule required {logins};",
                    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                    "super.users": "User:ANONYMOUS"}
        self.proxy, self.proxied = (self.wires[0], self.wired[0]) if self.wires else (None, None)
        self.settings = {**SETTINGS, "controller.quorum.voters": f"1@127.0.0.1:{controller}", "listeners": listeners,
                         "advertised.listeners": advertised, "listener.security.protocol.map": protocols,
                         "log.dirs": self.folder / "data", **more, **(settings or {})}
        template = made_once(f"kafka-{Path(self.jars).name}", lambda path: _make_template(self.jars, path))
        shutil.copytree(template, self.folder / "data")
        super().__init__(name, [*_java(self.jars, heap), "kafka.Kafka", self.folder / "properties"], self.folder / "log")
        self._admin = None

    # ---- running

    def start(self, wait=True):
        text = "".join(f"{key}={value}\n" for key, value in self.settings.items())
        (self.folder / "properties").write_text(text)
        super().start()
        if wait:
            self.wait_ready()
        return self

    def answers(self):
        try:
            return bool(self.admin().list_topics(timeout=1).brokers)
        except KafkaException:
            return False

    def restart(self):
        self.stop()
        return self.start()

    def close(self):
        """Ends the broker and the proxy before it."""
        self.kill()
        self._admin = None
        for wire in self.wires:
            wire.close()

    # ---- topics

    def admin(self):
        if self._admin is None:
            self._admin = AdminClient({"bootstrap.servers": self.bootstrap, "socket.timeout.ms": 10000,
                                       "reconnect.backoff.max.ms": 200, "log_level": 0})
        return self._admin

    def create_topic(self, name, partitions=1, **config):
        """Config names are written with underscores: cleanup_policy='compact'."""
        config = {key.replace("_", "."): str(value) for key, value in config.items()}
        topic = NewTopic(name, num_partitions=partitions, replication_factor=1, config=config)
        self.admin().create_topics([topic])[name].result(30)
        wait_for(lambda: name in self.topics(), what=f"topic {name}")

    def delete_topic(self, name):
        self.admin().delete_topics([name])[name].result(30)
        wait_for(lambda: name not in self.topics(), what=f"topic {name} to go")

    def alter_topic(self, name, **config):
        entries = [ConfigEntry(key.replace("_", "."), str(value), incremental_operation=AlterConfigOpType.SET)
                   for key, value in config.items()]
        resource = ConfigResource(ConfigResource.Type.TOPIC, name, incremental_configs=entries)
        self.admin().incremental_alter_configs([resource])[resource].result(30)

    def topic_config(self, name):
        resource = ConfigResource(ConfigResource.Type.TOPIC, name)
        entries = self.admin().describe_configs([resource])[resource].result(30)
        return {key: entry.value for key, entry in entries.items()}

    def topics(self):
        """Name -> number of partitions, without Kafka's own."""
        topics = wait_for(self._list_topics, what="the list of topics")
        return {name: len(meta.partitions) for name, meta in topics.items()
                if not name.startswith("__") and meta.partitions}

    def _list_topics(self):
        try:
            return self.admin().list_topics(timeout=5).topics or {"__": None}
        except KafkaException:
            return None

    def _acl(self, user, kind, name, operation, pattern):
        from confluent_kafka.admin import (AclBinding, AclOperation, AclPermissionType, ResourcePatternType, ResourceType)
        return AclBinding(getattr(ResourceType, kind), name, getattr(ResourcePatternType, pattern), f"User:{user}", "*",
                          getattr(AclOperation, operation), AclPermissionType.ALLOW)

    def allow(self, user, kind, name, *operations, pattern="LITERAL"):
        """A user may do that with it: allow("u", "TOPIC", "t", "WRITE"). Kinds are TOPIC, GROUP, BROKER, TRANSACTIONAL_ID."""
        bindings = [self._acl(user, kind, name, operation, pattern) for operation in operations]
        for future in self.admin().create_acls(bindings).values():
            future.result(30)

    def forbid(self, user, kind, name, *operations, pattern="LITERAL"):
        """Takes back what `allow` gave."""
        from confluent_kafka.admin import AclBindingFilter
        filters = []
        for operation in operations:
            acl = self._acl(user, kind, name, operation, pattern)
            filters.append(AclBindingFilter(acl.restype, acl.name, acl.resource_pattern_type, acl.principal, acl.host,
                                            acl.operation, acl.permission_type))
        for future in self.admin().delete_acls(filters).values():
            future.result(30)

    # ---- records

    def produce(self, topic, value, key=None, headers=None, partition=None, **settings):
        """One record, acknowledged; returns when it is stored. Text is sent as UTF-8."""
        failed = []
        producer = Producer({"bootstrap.servers": self.bootstrap, "linger.ms": 0, "log_level": 0, **settings})
        where = {} if partition is None else {"partition": partition}
        producer.produce(topic, value=value, key=key, headers=headers, on_delivery=lambda err, _: failed.append(err), **where)
        if producer.flush(30) or not failed or failed[0] is not None:
            raise AssertionError(f"record for {topic} was not stored: {failed}")

    def reader(self, *topics, isolation="read_committed"):
        """Reads topics from their beginning, as far as is asked for, piece by piece."""
        return Reader(self, topics, isolation)

    def consume(self, *topics, isolation="read_committed", until=None, timeout=60):
        """The records of topics from their beginning.

        until: None    to the end as it is now
               number  until there are so many
               call    until it returns true for the list of records
        """
        with self.reader(*topics, isolation=isolation) as reader:
            if until is None:
                return reader.read_to_end(timeout)
            if isinstance(until, int):
                return reader.read_until(lambda records: len(records) >= until, timeout, f"{until} records")
            return reader.read_until(until, timeout)

    def end_offsets(self, topic, isolation="read_committed"):
        """Partition -> offset after the last record; read_committed: after the last that is decided."""
        level = getattr(IsolationLevel, isolation.upper())
        partitions = range(self.topics().get(topic, 0))
        asked = {TopicPartition(topic, number): OffsetSpec.latest() for number in partitions}

        def answered():  # of a topic that was created this moment not all is known at once
            try:
                answers = self.admin().list_offsets(asked, isolation_level=level) if asked else {}
                return {where.partition: answer.result(30).offset for where, answer in answers.items()}, True
            except KafkaException as why:
                if why.args[0].code() not in (KafkaError.NOT_LEADER_FOR_PARTITION, KafkaError.LEADER_NOT_AVAILABLE):
                    raise
        return wait_for(answered, what=f"the ends of {topic}")[0]


class Reader:
    """A consumer of whole topics that remembers what it read. Topics that do not exist yet are taken up when they do."""

    def __init__(self, kafka, topics, isolation):
        self.kafka = kafka
        self.topics = set(topics)
        self.isolation = isolation
        self.records = []
        self._next = {}  # (topic, partition) -> offset after the last one seen, control records included
        self._assigned = set()
        self._consumer = Consumer({
            "bootstrap.servers": kafka.bootstrap, "group.id": "harness", "enable.auto.commit": False,
            "isolation.level": isolation, "auto.offset.reset": "earliest", "enable.partition.eof": True,
            "fetch.wait.max.ms": 20, "fetch.error.backoff.ms": 20, "fetch.message.max.bytes": 8 * 1024 * 1024, "receive.message.max.bytes": 512 * 1024 * 1024,
            "reconnect.backoff.max.ms": 200, "log_level": 0,
        })

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._consumer.close()

    def _assign(self):
        present = self.kafka.topics()
        found = {(topic, number) for topic in self.topics for number in range(present.get(topic, 0))}
        new = found - self._assigned
        if new:  # offset 0, not "beginning": librdkafka asks for that one only after half a second
            self._consumer.incremental_assign([TopicPartition(topic, number, 0) for topic, number in sorted(new)])
            self._assigned |= new
        return found

    def _poll(self, seconds):
        """Takes what has come; true if something came."""
        messages = self._consumer.consume(1000, seconds)
        for message in messages:
            where = (message.topic(), message.partition())
            error = message.error()
            if error is None:
                self.records.append(Record(message.topic(), message.partition(), message.offset(), message.timestamp()[1],
                                           message.key(), message.value(), message.headers() or []))
                self._next[where] = message.offset() + 1
            elif error.code() == KafkaError._PARTITION_EOF:
                self._next[where] = max(message.offset(), self._next.get(where, 0))
            elif not error.retriable() and error.fatal():
                raise KafkaException(error)
        return bool(messages)

    def read_until(self, condition, timeout=60, what=None):
        """Reads until condition(records) holds; all records read so far."""
        deadline = time.monotonic() + timeout
        looked = 0
        while not condition(self.records):
            now = time.monotonic()
            if now > deadline:
                raise TimeoutError(f"waited {timeout} s for {what or 'records'} in {', '.join(sorted(self.topics))}; "
                                   f"there are {len(self.records)}, the last: {self.records[-3:]}")
            if self._assigned_short() and now > looked + 0.2:
                self._assign()
                looked = now
            self._poll(0.05)
        return self.records

    def _assigned_short(self):
        return {topic for topic, _ in self._assigned} != self.topics

    def read_to_end(self, timeout=60):
        """Reads to the end of each topic as it is now; a topic that does not exist is an empty one."""
        self._assign()
        ends = {(topic, number): offset for topic in self.topics
                for number, offset in self.kafka.end_offsets(topic, self.isolation).items()}
        return self.read_until(lambda _: all(self._next.get(where, 0) >= end for where, end in ends.items()), timeout,
                               f"the ends {ends}, at {self._next}")


def _java(jars, heap):
    archive = state_folder() / f"{Path(jars).name}.jsa"
    return ["java", f"-Xmx{heap}", "-Xms128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:+AutoCreateSharedArchive",
            f"-XX:SharedArchiveFile={archive}", "-Xlog:cds=off", "-Xlog:aot=off", "-Xlog:cds+dynamic=off",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-Dorg.slf4j.simpleLogger.showDateTime=true",
            "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS", "-cp", f"{jars}/*"]


def _make_template(jars, path):
    """Formats a log folder, as a broker wants it at its first start."""
    scratch = Scratch("template")
    try:
        folder = scratch.folder("t")
        settings = {"process.roles": "broker,controller", "node.id": 1, "controller.quorum.voters": "1@127.0.0.1:1",
                    "listeners": "PLAINTEXT://127.0.0.1:2,CONTROLLER://127.0.0.1:1", "controller.listener.names": "CONTROLLER",
                    "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT", "log.dirs": path}
        (folder / "properties").write_text("".join(f"{key}={value}\n" for key, value in settings.items()))
        run = subprocess.run(["java", "-cp", f"{jars}/*", "kafka.tools.StorageTool", "format", "-t", "dGlkZW1hcmstdGVzdHM0Mg",
                              "-c", folder / "properties"], capture_output=True, text=True)
        if run.returncode != 0:
            raise Unavailable(f"Kafka could not format a log folder: {run.stdout}{run.stderr}")
    finally:
        scratch.close()
