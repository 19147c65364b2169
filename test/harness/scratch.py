# SPDX-License-Identifier: Apache-2.0
"""scratch: where a run keeps its files, which ports it may use, how it waits."""
import fcntl
import os
import random
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path


CHECKOUT = Path(__file__).resolve().parents[2]


class Unavailable(Exception):
    """A server that a test needs cannot be had here: the test is skipped, in CI it fails."""


class Scratch:
    """One folder for all files of a run, below TIDEMARK_SCRATCH or /tmp: short, as socket names must be."""

    def __init__(self, label="run"):
        self.path = Path(tempfile.mkdtemp(prefix=f"tidemark-{label}-", dir=os.environ.get("TIDEMARK_SCRATCH")))
        self.path.chmod(0o755)  # the MySQL server looks inside as another user
        self.keep = bool(os.environ.get("TIDEMARK_KEEP"))
        self._lock = open(self.path / ".lock", "w")  # held as long as the run lives
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        _sweep(self.path.parent)
        self._used = set()
        self._disks = []

    def folder(self, name):
        """A new folder, called name or, where that is taken, name-2, name-3 and so on."""
        unique, count = name, 1
        while unique in self._used:
            count += 1
            unique = f"{name}-{count}"
        self._used.add(unique)
        path = self.path / unique
        path.mkdir()
        return path

    def small_disk(self, name, kib):
        """A file system of its own with so much room, to be full; unmounted with the run."""
        path = self.folder(name)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kib}k,mode=777", "tmpfs", path], capture_output=True).returncode:
            raise Unavailable("a file system can't be mounted here")
        self._disks.append(path)
        return path

    @staticmethod
    def resize_disk(path, kib):
        subprocess.run(["mount", "-o", f"remount,size={kib}k", path], check=True)

    def close(self):
        """Removes the folder, or keeps it and returns its path where something failed."""
        for disk in self._disks:
            subprocess.run(["umount", "-l", disk], check=False)
        if self.keep:
            return self.path
        shutil.rmtree(self.path, ignore_errors=True)
        return None


def _sweep(parent, age=24 * 3600, most=10):
    """Removes what earlier runs kept or, killed, left behind: what is a day old, and all but the newest few."""
    dead = []
    for path in parent.glob("tidemark-*-*"):
        try:
            with open(path / ".lock") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                dead.append((os.fstat(lock.fileno()).st_mtime, path))
        except OSError:
            pass  # a living run's, or not one of ours
    for number, (when, path) in enumerate(sorted(dead, reverse=True)):
        if number >= most or time.time() - when > age:
            shutil.rmtree(path, ignore_errors=True)


_held_ports = []  # open lock files: a port belongs to this process until it ends


def free_port():
    """A port nobody listens on and no other run on this machine was given.

    Ports below the ephemeral range, so that no outgoing connection takes one between two starts of a server.
    """
    locks = Path("/tmp/tidemark-ports")
    locks.mkdir(exist_ok=True)
    for _ in range(1000):
        port = random.randrange(15000, 32000)
        lock = os.open(locks / str(port), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(("127.0.0.1", port))
        except OSError:
            os.close(lock)
            continue
        _held_ports.append(lock)
        return port
    raise Unavailable("no free port was found")


def wait_for(condition, timeout=30, what=None, every=0.02):
    """Calls condition until it returns something true, and returns that; after timeout seconds fails, saying what."""
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            what = what or getattr(condition, "__name__", "condition")
            raise TimeoutError(f"waited {timeout} s for: {what() if callable(what) else what}")
        time.sleep(every)


def state_folder():
    """What runs keep for each other: TIDEMARK_STATE, or a folder of this run's own."""
    path = Path(os.environ.get("TIDEMARK_STATE") or Path(tempfile.gettempdir()) / "tidemark-state")
    path.mkdir(parents=True, exist_ok=True)
    return path


def made_once(name, make):
    """A folder of state_folder() that make(path) fills, once on this machine: under a lock, renamed when complete."""
    state = state_folder()
    final = state / name
    if not final.is_dir():
        with open(state / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not final.is_dir():
                new = state / f"{name}.new"
                shutil.rmtree(new, ignore_errors=True)
                make(new)
                new.rename(final)
    return final
