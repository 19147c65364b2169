# SPDX-License-Identifier: Apache-2.0
"""tls_wire: a wire to a MySQL server that speaks TLS 1.3 to both sides and changes the keys again and again.

Greeting and request for TLS pass as they are, then each side has a session of its own with the wire. After every so many
bytes from the server both sessions get new keys, and both peers are asked for new ones of theirs (KeyUpdate with
update_requested, RFC 8446 4.6.3). The standard library's ssl can't do that: libssl is called by ctypes.

A session is used by one thread only: a thread a connection, both directions.
"""
import ctypes
import ctypes.util
import select
import socket
import threading

from .scratch import Unavailable

TLS_1_3, SET_MIN_VERSION = 0x0304, 123  # SSL_CTX_ctrl
SET_MODE, PARTIAL_AND_MOVING_WRITES = 33, 1 | 2  # SSL_ctrl
PEM, UPDATE_REQUESTED = 1, 1
WANT_READ, WANT_WRITE = 2, 3
HANDSHAKE, KEY_UPDATE = 22, 24
PIECE = 1 << 16

_told_fn = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t,
                            ctypes.c_void_p, ctypes.c_void_p)


def _libssl():
    name = ctypes.util.find_library("ssl")
    if not name:
        raise Unavailable("there is no libssl here")
    lib = ctypes.CDLL(name)
    pointer, number, text = ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p
    for function, result, *arguments in (
            ("TLS_method", pointer), ("SSL_CTX_new", pointer, pointer), ("SSL_new", pointer, pointer), ("SSL_free", None, pointer),
            ("SSL_CTX_ctrl", ctypes.c_long, pointer, number, ctypes.c_long, pointer),
            ("SSL_ctrl", ctypes.c_long, pointer, number, ctypes.c_long, pointer),
            ("SSL_CTX_use_certificate_file", number, pointer, text, number),
            ("SSL_CTX_use_PrivateKey_file", number, pointer, text, number),
            ("SSL_CTX_set_msg_callback", None, pointer, _told_fn), ("SSL_set_fd", number, pointer, number),
            ("SSL_accept", number, pointer), ("SSL_connect", number, pointer), ("SSL_get_error", number, pointer, number),
            ("SSL_read", number, pointer, pointer, number), ("SSL_write", number, pointer, pointer, number),
            ("SSL_key_update", number, pointer, number)):
        getattr(lib, function).restype, getattr(lib, function).argtypes = result, arguments
    return lib


class _Ended(Exception):
    """A session is over."""


class TlsWire:
    def __init__(self, target, certificate, key, every):
        self.target = target  # (host, port)
        self.every = every  # bytes from the server between two changes of keys
        self.accepted = 0  # connections so far
        self.updates = 0  # changes of keys the wire has begun, towards the near side
        self.answers = 0  # changes of keys that came from the near side
        self.bytes_from_target = 0
        self.faults = []  # what went wrong in a session, other than its end
        self._lib = _libssl()
        self._told = _told_fn(self._look)  # kept: libssl calls it
        self._context = self._lib.SSL_CTX_new(self._lib.TLS_method())
        self._lib.SSL_CTX_ctrl(self._context, SET_MIN_VERSION, TLS_1_3, None)
        self._lib.SSL_CTX_set_msg_callback(self._context, self._told)
        assert self._lib.SSL_CTX_use_certificate_file(self._context, str(certificate).encode(), PEM) == 1, certificate
        assert self._lib.SSL_CTX_use_PrivateKey_file(self._context, str(key).encode(), PEM) == 1, key
        self._near = set()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.host, self.port = self._listener.getsockname()

    def start(self):
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def close(self):
        self._listener.close()

    # ---- how

    def _look(self, is_written, _version, kind, data, size, session, _arg):
        """Each message of TLS passes here: the answers of the near side are counted."""
        if not is_written and kind == HANDSHAKE and size and session in self._near:
            self.answers += ctypes.cast(data, ctypes.POINTER(ctypes.c_uint8))[0] == KEY_UPDATE

    def _accept(self):
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            self.accepted += 1
            threading.Thread(target=self._serve, args=(near,), daemon=True).start()

    def _serve(self, near):
        sessions = []
        try:
            with near, socket.create_connection(self.target) as far:
                near.sendall(_packet(far))
                far.sendall(_packet(near))  # the request for TLS
                for end, open_session in ((near, self._lib.SSL_accept), (far, self._lib.SSL_connect)):
                    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    sessions.append(self._session(end, open_session))
                self._pass(near, far, *sessions)
        except (OSError, _Ended):
            pass
        except AssertionError as why:
            self.faults.append(str(why))
        finally:
            for session in sessions:
                self._near.discard(session)
                self._lib.SSL_free(session)

    def _session(self, end, open_session):
        session = self._lib.SSL_new(self._context)
        self._lib.SSL_ctrl(session, SET_MODE, PARTIAL_AND_MOVING_WRITES, None)
        self._lib.SSL_set_fd(session, end.fileno())
        if open_session is self._lib.SSL_accept:
            self._near.add(session)
        if open_session(session) != 1:
            raise _Ended
        end.setblocking(False)
        return session

    def _pass(self, near, far, near_session, far_session):
        down, up = _Leg(self._lib, far_session, near_session), _Leg(self._lib, near_session, far_session)
        since = 0
        while True:
            passed = down.step()
            since += passed
            self.bytes_from_target += passed
            if since >= self.every and not down.waits and not up.waits:
                for session in (near_session, far_session):
                    assert self._lib.SSL_key_update(session, UPDATE_REQUESTED) == 1, "a change of keys was refused"
                self.updates += 1
                since = 0
            if not passed and not up.step():
                select.select([near, far], [end for end, leg in ((near, down), (far, up)) if leg.waits], [], 1)


class _Leg:
    """One direction: what was read from one session and is still to be written to the other."""

    def __init__(self, lib, source, sink):
        self._lib, self._source, self._sink = lib, source, sink
        self._piece = ctypes.create_string_buffer(PIECE)
        self._at = self._end = 0
        self.waits = False  # there is something that could not be written

    def step(self):
        """Reads once and writes as much as it can; how many bytes were written."""
        if self._at == self._end:
            self._at, self._end = 0, max(0, self._done(self._source, self._lib.SSL_read(self._source, self._piece, PIECE)))
        written = 0
        while self._at < self._end:
            n = self._done(self._sink, self._lib.SSL_write(self._sink, ctypes.byref(self._piece, self._at), self._end - self._at))
            if n <= 0:
                break
            self._at += n
            written += n
        self.waits = self._at < self._end
        return written

    def _done(self, session, n):
        if n <= 0 and self._lib.SSL_get_error(session, n) not in (WANT_READ, WANT_WRITE):
            raise _Ended
        return n


def _packet(end):
    """One packet of MySQL's protocol."""
    head = _exactly(end, 4)
    return head + _exactly(end, int.from_bytes(head[:3], "little"))


def _exactly(end, n):
    data = b""
    while len(data) < n:
        more = end.recv(n - len(data))
        if not more:
            raise _Ended
        data += more
    return data
