# SPDX-License-Identifier: Apache-2.0
"""process: a program that a test started, from first line of its log to its end.

It is always ended by its own process id. It also ends with the thread that started it (a parent-death signal), so that a
killed test run leaves nothing behind: start from the main thread.
"""
import os
import re
import signal
import subprocess

from .scratch import CHECKOUT, wait_for


def sanitizer_environment():
    """What the sanitizers are told; programs built without them don't look."""
    suppressions = CHECKOUT / "test" / "suppressions"
    return {"ASAN_OPTIONS": "detect_leaks=1:abort_on_error=0",
            "UBSAN_OPTIONS": "print_stacktrace=1",
            "LSAN_OPTIONS": f"suppressions={suppressions}/lsan:print_suppressions=0",
            "TSAN_OPTIONS": f"suppressions={suppressions}/tsan:halt_on_error=1:second_deadlock_stack=1"}


class Process:
    def __init__(self, name, command, log, user=None, env=None, cwd=None):
        self.name = name
        self.command = [str(part) for part in command]
        self.log = log
        self.user = user
        self.env = {**os.environ, **sanitizer_environment(), **(env or {})}
        self.cwd = cwd
        self.popen = None
        self._log_start = 0  # where in the log the present run began

    @property
    def pid(self):
        return self.popen.pid

    def is_running(self):
        return self.popen is not None and self.popen.poll() is None

    def start(self):
        assert not self.is_running(), f"{self.name} already runs"
        command = ["setpriv", "--pdeathsig", "KILL"]
        if self.user and os.getuid() == 0:
            command += ["--reuid", self.user, "--regid", self.user, "--clear-groups"]
        self._log_start = self.log.stat().st_size if self.log.exists() else 0
        with open(self.log, "ab") as out:
            self.popen = subprocess.Popen(command + self.command, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                          env=self.env, cwd=self.cwd)
        return self

    def stop(self, timeout=60, sig=signal.SIGTERM):
        """Asks it to end and returns its exit code; a negative one is the signal that ended it."""
        if self.popen is None:
            return None
        if self.is_running():
            self.popen.send_signal(signal.SIGCONT)
            self.popen.send_signal(sig)
            try:
                self.popen.wait(timeout)
            except subprocess.TimeoutExpired:
                self.kill()
                raise TimeoutError(f"{self.name} did not stop within {timeout} s; {self.tail()}") from None
        return self.popen.returncode

    def kill(self):
        """SIGKILL, and waits until it is gone."""
        if self.is_running():
            self.popen.kill()
            self.popen.wait()

    def freeze(self):
        self.popen.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.popen.send_signal(signal.SIGCONT)

    def wait(self, timeout=60):
        """Waits until it ends by itself and returns its exit code."""
        try:
            return self.popen.wait(timeout)
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"{self.name} still runs after {timeout} s; {self.tail()}") from None

    def answers(self):
        """Whether it serves now; a server has its own way to be asked."""
        raise NotImplementedError(f"{self.name} is no server")

    def wait_ready(self, timeout=120):
        """Waits until it serves; fails at once if the process ends."""
        def ready():
            if not self.is_running():
                raise AssertionError(f"{self.name} ended with {self.popen.returncode}; {self.tail()}")
            return self.answers()
        wait_for(ready, timeout, lambda: f"{self.name} to answer; {self.tail()}", every=0.05)

    # ---- its log

    def log_text(self, whole=False):
        """What it has said since it was last started, or in all its runs."""
        if not self.log.exists():
            return ""
        with open(self.log, "rb") as file:
            file.seek(0 if whole else self._log_start)
            return file.read().decode("utf-8", "replace")

    def log_mark(self):
        """A place in the log, for wait_for_log(after=…)."""
        return len(self.log_text())

    def wait_for_log(self, pattern, timeout=30, after=0):
        """Waits for a line that the regular expression finds, and returns the match; fails at once if the process ends."""
        def look():
            running = self.is_running()  # before the log: its last words count
            match = re.compile(pattern, re.M).search(self.log_text(), after)
            if not match and not running:
                raise AssertionError(f"{self.name} ended with {self.popen.returncode} before it said {pattern!r}; {self.tail()}")
            return match
        return wait_for(look, timeout, lambda: f"{self.name} to say {pattern!r}; {self.tail()}")

    def tail(self, lines=15):
        text = self.log_text().rstrip().split("\n")[-lines:]
        return f"the end of {self.log}:\n" + "\n".join("    " + line for line in text)

    # ---- what it uses

    def _status(self, field):
        with open(f"/proc/{self.pid}/status") as file:
            return int(re.search(rf"^{field}:\s*(\d+) kB", file.read(), re.M)[1]) * 1024

    def rss(self):
        """Bytes of memory now."""
        return self._status("VmRSS")

    def peak_rss(self):
        """The most bytes of memory it ever had."""
        return self._status("VmHWM")

    def cpu_seconds(self):
        """User and system time of all its threads."""
        with open(f"/proc/{self.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def threads(self):
        return len(os.listdir(f"/proc/{self.pid}/task"))

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))
