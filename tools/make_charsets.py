#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_charsets: asks a MySQL server for its character sets and writes binlog/charset_tables.c and test/data/charsets.

The server's own conversion is the truth: each code of each set is converted there, none is taken from elsewhere. One
exception: the five codes that windows-1252 leaves undefined, which the server's latin1 passes through, are undefined.

  python3 tools/make_charsets.py SOCKET      run from the root of the tree, as a user who may SELECT (needs PyMySQL)

test/data/charsets holds, for each set, how many codes are mapped and a CRC-32 over all lines "CODE=CODEPOINT\\n" in
upper-case hex, in code order; test/unit/binlog/test_charset.c walks all codes with our decoder and must get the same.
"""
import sys
import zlib

import pymysql

GONE = 0xFFFD
UNICODE = {"utf8mb4": "utf8", "utf8mb3": "utf8", "ascii": "ascii", "binary": "utf8", "ucs2": "ucs2", "utf16": "utf16",
           "utf16le": "utf16le", "utf32": "utf32"}
BASES = {"gbk": "gb18030", "gb2312": "gb18030", "sjis": "cp932", "ujis": "eucjpms"}  # little differs: kept as runs
EUC = ("ujis", "eucjpms")  # with a second plane behind the byte 8F
LATIN1_GONE = (0x81, 0x8D, 0x8F, 0x90, 0x9D)


class Server:
    def __init__(self, socket):
        self.cursor = pymysql.connect(unix_socket=socket, user="root", charset="utf8mb4").cursor()
        self.ask("set cte_max_recursion_depth = 10000000")

    def ask(self, text):
        self.cursor.execute(text)
        return self.cursor.fetchall()

    def convert(self, name, count, code):
        """The mapped codes among `code` (SQL over i, hex text) for i in 0..count-1, as {i: code point}."""
        rows = self.ask(f"with recursive n as (select 0 i union all select i + 1 from n where i < {count - 1}) "
                        f"select i, {code}, hex(convert(convert(unhex({code}) using {name}) using utf32)) from n")
        return {i: int(text, 16) for i, source, text in rows
                if text and len(text) == 8 and text != "0000FFFD" and (text != "0000003F" or source == "3F")}


def linear_code(i):
    """The i-th four-byte code of GB 18030."""
    return f"{0x81 + i // 12600:02X}{0x30 + i // 1260 % 10:02X}{0x81 + i // 10 % 126:02X}{0x30 + i % 10:02X}"


LINEAR = ("concat(lpad(hex(0x81 + i div 12600), 2, '0'), lpad(hex(0x30 + i div 1260 mod 10), 2, '0'), "
          "lpad(hex(0x81 + i div 10 mod 126), 2, '0'), lpad(hex(0x30 + i mod 10), 2, '0'))")


def sum_of(pairs):
    crc = 0
    for code, point in pairs:
        crc = zlib.crc32(f"{code}={point:X}\n".encode(), crc)
    return crc


def literal(points):
    """One row as a C string, trailing holes cut."""
    while points and points[-1] == GONE:
        points = points[:-1]
    out = ""
    for point in points:
        char = chr(point)
        out += f"\\{point:03o}" if point < 0x20 or char in '"\\?' else char
    return f'"{out}"'


def runs_of(cells):
    """{position: code point} as runs of consecutive positions with consecutive code points (holes: all the same)."""
    runs = []
    for at in sorted(cells):
        point = cells[at]
        if runs and runs[-1][0] + runs[-1][1] == at and (
                point == GONE and runs[-1][2] == GONE or point != GONE and runs[-1][2] + runs[-1][1] == point
                and runs[-1][2] != GONE):
            runs[-1][1] += 1
        else:
            runs.append([at, 1, point])
    return runs


class Wide:
    """A double-byte table: a chart of its own, or a base and what differs from it."""

    def __init__(self, name, codes, base=None):
        self.name, self.codes, self.base = name, codes, base
        if base:
            self.leads, self.trails = base.leads, base.trails
        else:
            self.leads = min(codes) >> 8, max(codes) >> 8
            self.trails = min(c & 255 for c in codes), max(c & 255 for c in codes)

    def cells(self):
        for lead in range(self.leads[0], self.leads[1] + 1):
            for trail in range(self.trails[0], self.trails[1] + 1):
                yield lead << 8 | trail

    def is_private(self, point):
        return 0xE000 <= point <= 0xF8FF

    def emit(self, out, slot):
        if self.base:
            differs = {at: self.codes.get(code, GONE) for at, code in enumerate(self.cells())
                       if self.codes.get(code) != self.base.codes.get(code)}
        else:
            differs = {at: self.codes[code] for at, code in enumerate(self.cells())
                       if self.is_private(self.codes.get(code, 0))}
            out.append(f"static const char *const {self.name}_rows[] = {{")
            for lead in range(self.leads[0], self.leads[1] + 1):
                points = [self.codes.get(lead << 8 | t, GONE) for t in range(self.trails[0], self.trails[1] + 1)]
                points = [GONE if self.is_private(p) else p for p in points]
                out.append(f"    /* {lead:02X} */ {literal(points)},")
            out.append("};")
        runs = runs_of(differs)
        if runs:
            out.append(f"static const struct charset_run {self.name}_runs[] = {{")
            out += [f"    {{{at}, {n}, 0x{point:04x}}}," for at, n, point in runs]
            out.append("};")
        rows = "NULL" if self.base else f"{self.name}_rows"
        base = f"&{self.base.name}_wide" if self.base else "NULL"
        out.append(f"static const struct charset_wide {self.name}_wide = {{")
        out.append(f"    0x{self.leads[0]:02x}, 0x{self.leads[1]:02x}, 0x{self.trails[0]:02x}, 0x{self.trails[1]:02x},")
        out.append(f"    {rows}, {base}, {f'{self.name}_runs' if runs else 'NULL'}, {len(runs)}, {slot},")
        out.append("};")
        out.append("")


def emit_single(out, name, codes):
    out.append(f"static const uint16_t {name}_single[256] = {{")
    for row in range(0, 256, 16):
        out.append("    " + " ".join(f"0x{codes.get(i, GONE):04x}," for i in range(row, row + 16)))
    out.append("};")
    out.append("")


HEAD = """/* SPDX-License-Identifier: Apache-2.0 */
/* clang-format off */
/* Made by tools/make_charsets.py from MySQL {version}; not edited by hand. */
#include "binlog/charset_tables.h"

"""


def main():
    server = Server(sys.argv[1])
    version = server.ask("select version()")[0][0].split("-")[0]
    sets = server.ask("select character_set_name, default_collate_name, maxlen from information_schema.character_sets "
                      "order by character_set_name")
    collations = server.ask("select id, collation_name, character_set_name from information_schema.collations order by id")
    out, sums, made, entries = [], [], {}, []

    wide = [name for name, _, maxlen in sets if maxlen > 1 and name not in UNICODE]
    for name in sorted(wide, key=lambda n: (n in BASES, n)):  # bases first
        singles = server.convert(name, 256, "lpad(hex(i), 2, '0')")
        codes = {c: p for c, p in server.convert(name, 65536, "lpad(hex(i), 4, '0')").items()
                 if c >= 0x8000 and c >> 8 not in singles}
        made[name] = Wide(f"{name}", codes, made.get(BASES.get(name)))
        made[name].emit(out, len(made) - 1)
        pairs = [(f"{c:04X}", p) for c, p in sorted(codes.items())]
        if name in EUC:
            plane = server.convert(name, 65536, "concat('8F', lpad(hex(i), 4, '0'))")
            made[name + "_8f"] = Wide(f"{name}_8f", plane, made.get(f"{BASES.get(name)}_8f"))
            made[name + "_8f"].emit(out, len(made) - 1)
            pairs += [(f"8F{c:04X}", p) for c, p in sorted(plane.items())]
        if name == "gb18030":
            basic = server.convert(name, 39420, LINEAR)
            out.append("const struct charset_linear charset_gb18030_linear[] = {")
            runs = runs_of(basic)
            out += [f"    {{{at}, {n}, 0x{point:04x}}}," for at, n, point in runs]
            out += ["};", "", f"const unsigned charset_gb18030_linear_count = {len(runs)};", ""]
            astral = server.convert(name, 189000 + 1048576 + 1000, f"if(i < 189000, '', {LINEAR})")
            pairs += [(linear_code(i), p) for i, p in sorted({**basic, **astral}.items())]
        pairs = [(f"{c:02X}", p) for c, p in sorted(singles.items())] + pairs
        sums.append((name, len(pairs), sum_of(pairs)))

    for name, default, maxlen in sets:
        if maxlen > 1 or name in UNICODE:
            continue
        codes = server.convert(name, 256, "lpad(hex(i), 2, '0')")
        if name == "latin1":
            codes = {c: p for c, p in codes.items() if c not in LATIN1_GONE}
        made[name] = codes
        emit_single(out, name, codes)
        sums.append((name, len(codes), sum_of((f"{c:02X}", p) for c, p in sorted(codes.items()))))

    out.append("const struct charset charset_list[CHARSET_COUNT] = {")
    index = {}
    for at, (name, default, maxlen) in enumerate(sets):
        index[name] = at
        fields = [f'.name = "{name}"', f'.default_collation = "{default}"', f".max_bytes = {maxlen}"]
        if name in UNICODE:
            fields.append(f".step = charset_step_{UNICODE[name]}")
            if name in ("utf8mb4", "utf8mb3", "ascii"):
                fields.append(".is_utf8 = true")
            if name == "binary":
                fields.append(".is_binary = true")
            if UNICODE[name] in ("utf8", "ascii"):
                fields.append(".is_ascii = true")
        elif maxlen > 1:
            kind = "gb18030" if name == "gb18030" else "euc" if name in EUC else "kana" if name in ("sjis", "cp932") else "wide"
            fields += [f".step = charset_step_{kind}", ".is_ascii = true", f".wide = &{name}_wide"]
            if name in EUC:
                fields.append(f".wide_8f = &{name}_8f_wide")
        else:
            is_ascii = all(made[name].get(i) == i for i in range(128))
            fields += [".step = charset_step_single", f".single = {name}_single"]
            if is_ascii:
                fields.append(".is_ascii = true")
        out.append("    {" + ", ".join(fields) + "},")
    out += ["};", "", "const struct charset_collation charset_collations[CHARSET_COLLATION_COUNT] = {"]
    out += [f'    {{{number}, {index[charset]}, "{name}"}},' for number, name, charset in collations]
    out.append("};")

    with open("binlog/charset_tables.c", "w", encoding="utf8") as file:
        file.write(HEAD.replace("{version}", version) + "\n".join(out) + "\n")
    with open("test/data/charsets", "w", encoding="utf8") as file:
        file.write(f"# Made by tools/make_charsets.py from MySQL {version}: set, mapped codes, CRC-32 of the mapping.\n")
        file.writelines(f"{name} {count} {crc:08x}\n" for name, count, crc in sorted(sums))
    print(f"{len(sets)} sets, {len(collations)} collations")


if __name__ == "__main__":
    main()
