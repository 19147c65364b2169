# SPDX-License-Identifier: Apache-2.0
"""program: tidemark as a test sees it: a properties file, a log, an exit code."""
import os
import re
import subprocess
from pathlib import Path

from .process import Process, sanitizer_environment  # noqa: F401, tests take it from here
from .scratch import CHECKOUT, Unavailable

READY = r"ready: all|going on from"  # whatever is committed after that line is told
REPORT = re.compile(r"ERROR: (Address|Leak)Sanitizer|WARNING: ThreadSanitizer|runtime error:|Assertion .* failed")


def properties_text(properties):
    """A properties file: backslashes doubled, as its syntax wants; None leaves a key out."""
    def escaped(value):
        text = str(value).lower() if isinstance(value, bool) else str(value)
        text = text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")
        return "\\" + text if text.startswith(" ") else text
    return "".join(f"{key}={escaped(value)}\n" for key, value in properties.items() if value is not None)


def binary():
    path = Path(os.environ.get("TIDEMARK_BIN") or CHECKOUT / "build" / "tidemark")
    if not path.exists():
        raise Unavailable(f"there is no {path}: ./dev build makes it")
    return path


class Tidemark(Process):
    """tidemark run FILE. `base` makes the properties that every test needs; a test adds its own."""

    def __init__(self, scratch, properties, name="tidemark", env=None, arguments=()):
        self.binary = binary()
        self.folder = scratch.folder(name)
        self.file = self.folder / "properties"
        self.properties = dict(properties)
        self.write()
        super().__init__(name, [self.binary, "run", self.file, *arguments], self.folder / "log", env=env,
                         cwd=self.folder)

    @staticmethod
    def base(mysql, kafka, prefix, **more):
        """The least that connects these two. More: keys with underscores for points, or a dictionary as `also`."""
        also = more.pop("also", {})
        return {
            "name": prefix,
            "topic.prefix": prefix,
            "connector.class": "io.debezium.connector.mysql.MySqlConnector",
            "database.hostname": mysql.host,
            "database.port": mysql.port,
            "database.user": mysql.user_name,
            "database.password": mysql.user_password,
            "database.server.id": 7000 + mysql.port % 10000,
            "database.ssl.mode": "preferred",
            "snapshot.mode": "no_data",
            "bootstrap.servers": kafka.bootstrap,
            "offset.storage.topic": f"{prefix}-offsets",
            **{key.replace("_", "."): value for key, value in more.items()},
            **also,
        }

    @property
    def is_sanitized(self):
        """Whether memory and time say anything about the program as users have it."""
        data = self.binary.read_bytes()
        return b"__asan_init" in data or b"__tsan_init" in data

    @property
    def has_fault_points(self):
        """Whether TIDEMARK_KILL_AT means something to it (base/fault.h)."""
        return b"TIDEMARK_KILL_AT" in self.binary.read_bytes()

    def start_with(self, env):
        """Starts it once with more in its environment."""
        usual, self.env = self.env, {**self.env, **env}
        try:
            return self.start()
        finally:
            self.env = usual

    def start_ready(self, timeout=60):
        """Starts it and waits until it streams."""
        self.start()
        self.wait_for_log(READY, timeout)
        return self

    def write(self, **properties):
        """Writes the file, with properties changed (None: removed); the next start reads it."""
        self.properties.update({key.replace("_", "."): value for key, value in properties.items()})
        self.file.write_text(properties_text(self.properties))
        return self

    def stop(self, timeout=None, code=0):
        """SIGTERM; it must end in time, with this exit code (None: any), without a sanitizer's report."""
        ended = super().stop(timeout or (60 if self.is_sanitized else 10))
        self.assert_clean()
        assert code is None or ended == code, f"{self.name} ended with {ended}, not {code}; {self.tail()}"
        return ended

    def wait_exit(self, timeout=60, code=None):
        """Waits until it gives up by itself, with this exit code (None: any but 0)."""
        ended = self.wait(timeout)
        self.assert_clean()
        assert (ended == code) if code is not None else ended, f"{self.name} ended with {ended}; {self.tail(40)}"
        return ended

    def assert_clean(self):
        match = REPORT.search(self.log_text())
        assert not match, f"{self.name} has a fault: {match[0]}; {self.log_text()[match.start():][:6000]}"

    def run(self, *arguments, code=0, timeout=60, stdin=None):
        """Another command of the program, such as run('offsets', 'show', FILE); its standard output."""
        arguments = [str(self.file) if argument is self else str(argument) for argument in arguments]
        done = subprocess.run([str(self.binary), *arguments], capture_output=True, text=True, timeout=timeout, input=stdin,
                              env=self.env, cwd=self.folder)
        assert code is None or done.returncode == code, \
            f"tidemark {' '.join(arguments)} ended with {done.returncode}: {done.stdout}{done.stderr}"
        assert not REPORT.search(done.stderr), done.stderr
        return done.stdout
