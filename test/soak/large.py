# SPDX-License-Identifier: Apache-2.0
"""large: what users have at full size, where the suite has it scaled down.

  transaction    one transaction of 5 GiB: a log file past 4 GiB, killed inside it, small transactions behind it; R067
  compressed     the same in one compressed event, one event of nearly 1 GiB, and one that the server would not compress; R067
  tables         20,000 tables of which 10 are captured; R070
  captured       1,000 captured tables that all change
  beside         a snapshot of 10,000,000 rows of a table that 500 transactions a second change
  seek           a server that needs three minutes to find the place; R071
  tls [MINUTES]  the log over one TLS 1.3 connection whose keys change all the time, for an hour unless told; R068

BLACKHOLE tables log their rows and keep none, so the source stays small. Memory is held against its bound in each.
"""
import re

from .ground import Ground
from .large_beside import beside
from .large_tables import captured, tables
from .large_transactions import compressed, transaction
from .large_wire import seek, tls

PARTS = {"transaction": transaction, "compressed": compressed, "tables": tables, "captured": captured,
         "beside": beside, "seek": seek, "tls": tls}


def asked(words):
    """(part, its arguments) of a command line: a number belongs to the part before it."""
    parts = []
    for word in words:
        if word in PARTS:
            parts.append((word, []))
        elif parts and parts[-1][0] == "tls" and not parts[-1][1] and re.fullmatch(r"[0-9.]+", word):
            parts[-1][1].append(float(word))
        else:
            raise ValueError(f"there is no part {word}; there are {', '.join(PARTS)}")
    return parts or [(name, []) for name in PARTS]


def run(words):
    """True when all was well."""
    failed = []
    for name, arguments in asked(words):
        print(f"{name}: {re.split(r'[.:]', PARTS[name].__doc__)[0]}", flush=True)
        ground, fault = Ground("large"), None
        try:
            PARTS[name](ground, *arguments)
        except (AssertionError, TimeoutError) as why:
            fault = why
            failed.append(name)
        kept = ground.close(keep=fault is not None)
        print(f"  {'all well' if fault is None else f'FAILED: {fault}; files: {kept}'}", flush=True)
    return not failed
