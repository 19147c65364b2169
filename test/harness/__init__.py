# SPDX-License-Identifier: Apache-2.0
"""harness: a real MySQL server, a real Kafka broker and tidemark, started for tests on free ports in a scratch folder.

  scratch   one folder a run, free ports, waiting for conditions
  process   a started program: log, stop, kill, freeze, memory and CPU; ended by its own id and with its parent
  mysql     MySql: the source; replicas of it
  kafka     Kafka: the broker; topics, records as a consumer sees them
  program   Tidemark: the program under test
  debezium  Debezium: the reference, in Kafka Connect, where its jars are
  proxy     Proxy: a wire between two of them that delays, throttles, freezes and breaks

Everything listens on 127.0.0.1 only. Everything waits for a condition with a limit, nothing sleeps and hopes.
"""
from .debezium import Debezium
from .kafka import Kafka, Record
from .mysql import MySql
from .process import Process
from .program import Tidemark, properties_text
from .proxy import Proxy
from .scratch import Scratch, Unavailable, free_port, wait_for

__all__ = ["Debezium", "Kafka", "MySql", "Process", "Proxy", "Record", "Scratch", "Tidemark", "Unavailable", "free_port",
           "properties_text", "wait_for"]
