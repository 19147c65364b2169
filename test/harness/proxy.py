# SPDX-License-Identifier: Apache-2.0
"""proxy: a TCP wire between two programs that a test can delay, throttle, freeze and break.

Two threads a connection, one a direction. Settings count from the next piece of data on.
"""
import os
import queue
import socket
import struct
import threading
import time

TCP_REPAIR = 19  # linux/tcp.h


class Proxy:
    def __init__(self, target):
        self.target = target  # (host, port)
        self.delay = 0.0  # seconds each piece is under way, both directions; those behind it are under way meanwhile
        self.bytes_per_second = None  # of each direction of each connection
        self.hold_dump = None  # a MySQL server is silent for so many seconds after it was asked for its log
        self.stop_dump_after = None  # a server that was asked for its log gives so many bytes, and more when this is raised
        self.cut_after = None  # once so many bytes came from the target on a connection, that connection is cut
        self.before = None  # (words, call): call() is over before a piece that holds the words passes to the target; once
        self.accepted = 0  # connections so far
        self.bytes_from_target = 0
        self._flow = threading.Event()
        self._flow.set()
        self._refuse = False
        self._open = set()
        self._held = {}  # connection -> until when its target is silent
        self._dumps = set()  # connections that were asked for a log
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.host, self.port = self._listener.getsockname()

    def start(self):
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    # ---- what can happen to the wire

    def freeze(self):
        """Connections stay open and nothing passes: the other side hangs, as behind a lost network."""
        self._flow.clear()

    def thaw(self):
        self._flow.set()

    def cut(self):
        """Breaks all connections with a reset; new ones are accepted."""
        with self._lock:
            pairs = list(self._open)
        for pair in pairs:
            self._break(pair)

    def cut_dumps(self):
        """Breaks the connections that were asked for a log, and only those."""
        with self._lock:
            pairs = [pair for pair in self._open if pair in self._dumps]
        for pair in pairs:
            self._break(pair)

    def vanish(self):
        """The connections are gone without a word to the near side, as when its peer has lost power; needs root."""
        with self._lock:
            pairs, self._open = list(self._open), set()
        for near, far in pairs:
            near.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR, 1)  # a socket under repair is closed silently
            near.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 0, 0))
            near.shutdown(socket.SHUT_RD)  # sends nothing, and wakes the thread that reads here and would keep it open
            _reset(far)
            os.close(near.detach())

    def refuse(self, refuse=True):
        """Closes every new connection at once; those there are stay."""
        self._refuse = refuse

    def connections(self):
        with self._lock:
            return len(self._open)

    def close(self):
        self.refuse()
        self.thaw()
        self._listener.close()
        self.cut()

    # ---- how

    def _accept(self):
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            if self._refuse:
                _reset(near)
                continue
            try:
                far = socket.create_connection(self.target, timeout=10)
            except OSError:
                _reset(near)
                continue
            far.settimeout(None)
            for end in (near, far):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            pair = (near, far)
            with self._lock:
                self._open.add(pair)
                self.accepted += 1
            threading.Thread(target=self._pump, args=(pair, near, far, False), daemon=True).start()
            threading.Thread(target=self._pump, args=(pair, far, near, True), daemon=True).start()

    def _pump(self, pair, source, sink, from_target):
        passed = dumped = 0
        line = _Line(self, source)
        try:
            while True:
                data = line.recv()
                self._flow.wait()
                if not data:
                    sink.shutdown(socket.SHUT_WR)
                    if from_target:
                        self._break(pair, reset=False)
                    return
                passed += len(data)
                if not from_target and data[4:5] in (b"\x12", b"\x1e"):  # COM_BINLOG_DUMP, _GTID
                    self._dumps.add(pair)
                    if self.hold_dump:
                        self._held[pair] = time.monotonic() + self.hold_dump
                if not from_target and self.before and self.before[0] in data:
                    call, self.before = self.before[1], None
                    call()
                if from_target:
                    self._hold(pair)
                    self.bytes_from_target += len(data)
                    if self.cut_after is not None and passed > self.cut_after:
                        self._break(pair)
                        return
                if from_target and pair in self._dumps:
                    dumped = self._send_dump(sink, data, dumped)
                else:
                    self._send(sink, data)
        except OSError:
            self._break(pair)

    def _hold(self, pair):
        until = self._held.pop(pair, None)
        if until is not None:
            time.sleep(max(0, until - time.monotonic()))

    def _send_dump(self, sink, data, before):
        """Sends as much as it may, behind what was sent before; how much that is now."""
        while data:
            room = len(data) if self.stop_dump_after is None else max(0, self.stop_dump_after - before)
            if not room:
                time.sleep(0.01)
                continue
            self._send(sink, data[:room])
            before += min(room, len(data))
            data = data[room:]
        return before

    def _send(self, sink, data):
        while data:
            rate = self.bytes_per_second
            piece = data if rate is None else data[:max(1, rate // 20)]
            if rate is not None:
                time.sleep(len(piece) / rate)
            sink.sendall(piece)
            data = data[len(piece):]

    def _break(self, pair, reset=True):
        with self._lock:
            if pair not in self._open:
                return
            self._open.discard(pair)
        for end in pair:
            _reset(end) if reset else _close(end)


class _Line:
    """What is read from one end of a wire, each piece when it has been under way for the wire's delay. Pieces are read ahead
    from the first delay on: a long way makes the answer late, and does not make the wire narrow."""

    AHEAD = 4096  # pieces

    def __init__(self, wire, source):
        self._wire, self._source, self._under_way = wire, source, None

    def recv(self):
        if self._under_way is None:
            data = self._source.recv(65536)
            if self._wire.delay:
                self._under_way = queue.Queue(self.AHEAD)
                due = time.monotonic() + self._wire.delay
                threading.Thread(target=self._read_ahead, daemon=True).start()
                time.sleep(max(0, due - time.monotonic()))
            return data
        due, data = self._under_way.get()
        time.sleep(max(0, due - time.monotonic()))
        return data

    def _read_ahead(self):
        data = None
        while data != b"":
            try:
                data = self._source.recv(65536)
            except OSError:
                data = b""
            self._under_way.put((time.monotonic() + self._wire.delay, data))


def _close(end):
    try:
        end.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    end.close()


def _reset(end):
    try:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        # A thread may be blocked reading here: wake it first, or the descriptor stays open under it.
        end.shutdown(socket.SHUT_RD)
    except OSError:
        pass
    end.close()
