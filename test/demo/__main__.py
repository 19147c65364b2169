# SPDX-License-Identifier: Apache-2.0
"""demo: a small shop, its database, and what tidemark makes of it, on this machine and gone afterwards.

A MySQL server and a Kafka broker are started, a writer works in the shop, tidemark runs, and its records are printed as they
arrive: time, operation, table, key, and what changed. At the end the records, replayed, must give exactly the tables.
"""
import argparse
import base64
import json
import random
import signal
import statistics
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from harness import Kafka, MySql, Scratch, Tidemark, Unavailable  # noqa: E402
from harness.program import READY  # noqa: E402

SHOP = """
CREATE DATABASE shop;
USE shop;
CREATE TABLE customers (id INT PRIMARY KEY AUTO_INCREMENT, email VARCHAR(80) NOT NULL UNIQUE, name VARCHAR(60) NOT NULL,
                        joined TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE products (id INT PRIMARY KEY AUTO_INCREMENT, title VARCHAR(60) NOT NULL, price DECIMAL(10,2) NOT NULL, stock INT NOT NULL);
CREATE TABLE orders (id INT PRIMARY KEY AUTO_INCREMENT, customer_id INT NOT NULL, status ENUM('new', 'paid', 'sent') NOT NULL,
                     placed DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3), note VARCHAR(200));
CREATE TABLE order_items (order_id INT, line INT, product_id INT NOT NULL, quantity INT NOT NULL, PRIMARY KEY (order_id, line));
"""

KEYS = {"customers": ["id"], "products": ["id"], "orders": ["id"], "order_items": ["order_id", "line"]}

# The tables as their records show them: times in UTC, a DATETIME(3) as milliseconds, money as its text.
SELECTS = {
    "customers": "SELECT id, email, name, DATE_FORMAT(joined, '%Y-%m-%dT%H:%i:%sZ') AS joined FROM shop.customers",
    "products": "SELECT id, title, CONCAT(price) AS price, stock FROM shop.products",
    "orders": "SELECT id, customer_id, status, CAST(ROUND(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', placed) / 1000) AS SIGNED)"
              " AS placed, note FROM shop.orders",
    "order_items": "SELECT order_id, line, product_id, quantity FROM shop.order_items",
}

FIRST = "Ada Bela Chloé Dmitri Emre Fatima Grace Hédy İnci José Kenji Lǐ Mária Noor Óscar Priya Søren Tomáš".split()
LAST = "Ångström Babbage Curie Dijkstra Euler Fermi Gauss Hopper Itō Joliot Kovács Lovelace Müller Noether Østergård Pascal".split()
GOODS = ("tide table", "harbour lamp", "brass sextant", "oilskin coat", "rope, 20 m", "log book", "sea chart", "ship's bell")


class Shop(threading.Thread):
    """The live writer: small transactions of the kinds a shop has, one after the other."""

    def __init__(self, mysql, rate, seed):
        super().__init__(daemon=True)
        self.connection = mysql.connect(database="shop", autocommit=False)
        self.random = random.Random(seed)
        self.pause = 1 / rate
        self.closing = threading.Event()
        self.transactions = 0
        self.failed = None

    def run(self):
        try:
            self.opening()
            while not self.closing.is_set():
                work = self.random.choices([self.sign_up, self.order, self.advance, self.cancel, self.reprice, self.rename],
                                           [2, 5, 5, 4, 2, 2])[0]
                self.transaction(work)
                self.closing.wait(self.pause)
        except Exception as why:  # told by the main thread
            self.failed = why

    def close(self):
        self.closing.set()
        self.join(30)
        if self.failed:
            raise self.failed

    def transaction(self, work):
        with self.connection.cursor() as self.cursor:
            work()
        self.connection.commit()
        self.transactions += 1

    def do(self, statement, *args):
        self.cursor.execute(statement, args)
        return self.cursor.lastrowid

    def some(self, statement):
        self.cursor.execute(statement + " ORDER BY RAND() LIMIT 1")
        return self.cursor.fetchone()

    def opening(self):
        for title in GOODS:
            self.transaction(lambda: self.do("INSERT INTO products (title, price, stock) VALUES (%s, %s, 100)", title,
                                             self.random.randrange(300, 20000) / 100))
        for _ in range(3):
            self.transaction(self.sign_up)

    def sign_up(self):
        name = f"{self.random.choice(FIRST)} {self.random.choice(LAST)}"
        self.do("INSERT INTO customers (email, name) VALUES (%s, %s)", f"c{self.random.randrange(10 ** 9)}@shop.example", name)

    def order(self):
        (customer,) = self.some("SELECT id FROM customers")
        note = self.random.choice([None, None, "a gift: please wrap it", "ring twice", "“fragile” – 取扱注意 🐚"])
        order = self.do("INSERT INTO orders (customer_id, status, note) VALUES (%s, 'new', %s)", customer, note)
        for line in range(1, self.random.randrange(2, 5)):
            (product,) = self.some("SELECT id FROM products")
            quantity = self.random.randrange(1, 4)
            self.do("INSERT INTO order_items VALUES (%s, %s, %s, %s)", order, line, product, quantity)
            self.do("UPDATE products SET stock = stock - %s WHERE id = %s", quantity, product)

    def advance(self):
        self.do("UPDATE orders SET status = IF(status = 'new', 'paid', 'sent') WHERE status <> 'sent' ORDER BY id LIMIT 1")

    def cancel(self):
        found = self.some("SELECT id FROM orders WHERE status = 'new'")
        if found:
            self.do("DELETE FROM order_items WHERE order_id = %s", found[0])
            self.do("DELETE FROM orders WHERE id = %s", found[0])

    def reprice(self):
        self.do("UPDATE products SET price = price * %s ORDER BY RAND() LIMIT 2", self.random.choice([0.9, 1.1]))

    def rename(self):
        (customer,) = self.some("SELECT id FROM customers")
        # A change of the key itself. Negative ids are taken by nobody else: a larger one would move AUTO_INCREMENT along.
        self.do("UPDATE customers SET id = -id WHERE id = %s AND id > 0", customer)


class Picture:
    """Prints records as they come and keeps the tables they add up to."""

    COLOURS = {"c": 32, "u": 33, "d": 31, "r": 36}

    def __init__(self, prefix):
        self.prefix = prefix
        self.tables = {table: {} for table in KEYS}
        self.records = self.tombstones = 0
        self.delays = []
        self.colour = sys.stdout.isatty()

    def take(self, record):
        now = time.time() * 1000
        table = record.topic.rsplit(".", 1)[-1]
        key = json.loads(record.key)
        key = key.get("payload", key)
        where = tuple(key[column] for column in KEYS[table])
        self.records += 1
        if record.value is None:
            self.tombstones += 1
            return
        value = json.loads(record.value)
        value = value.get("payload", value)
        before, after = self.decoded(value["before"]), self.decoded(value["after"])
        if after is None:
            self.tables[table].pop(where, None)
        else:
            self.tables[table][where] = after
        self.delays.append(now - value["source"]["ts_ms"])
        self.show(value["op"], table, where, before, after, now)

    def decoded(self, row):
        if row and "price" in row:  # DECIMAL(10,2) comes as the bytes of its unscaled number
            cents = int.from_bytes(base64.b64decode(row["price"]), "big", signed=True)
            row["price"] = f"{cents / 100:.2f}"
        return row

    def show(self, op, table, where, before, after, now):
        if op == "u":
            text = ", ".join(f"{column}: {before[column]} → {after[column]}" for column in after if before[column] != after[column])
        else:
            text = ", ".join(f"{column}={value}" for column, value in (after or before).items() if column not in KEYS[table])
        clock = time.strftime("%H:%M:%S", time.localtime(now / 1000)) + f".{int(now) % 1000:03d}"
        sign = f"\033[{self.COLOURS.get(op, 0)}m{op}\033[0m" if self.colour else op
        print(f"{clock}  {sign}  {table:<11} {'/'.join(map(str, where)):<8} {text[:110]}", flush=True)

    def differences(self, mysql):
        """What the records add up to against the tables themselves, in sentences."""
        for table, keys in KEYS.items():
            rows = {tuple(row[key] for key in keys): row for row in mysql.dicts(SELECTS[table])}
            ours = self.tables[table]
            if rows != ours:
                wrong = [key for key in rows.keys() | ours.keys() if rows.get(key) != ours.get(key)]
                yield f"{table}: {len(wrong)} of {len(rows)} rows differ, such as {wrong[0]}: " \
                      f"table {rows.get(wrong[0])}, records {ours.get(wrong[0])}"


def heading(text):
    print(f"\n── {text} " + "─" * max(0, 100 - len(text)), flush=True)


def main():
    parser = argparse.ArgumentParser(prog="./dev demo", description="A small shop database and its changes as records in Kafka.")
    parser.add_argument("--seconds", type=float, default=20, help="how long the shop is open (20)")
    parser.add_argument("--rate", type=float, default=5, help="transactions a second (5)")
    parser.add_argument("--seed", type=int, default=1, help="of the shop's business (1)")
    given = parser.parse_args()

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    began = time.monotonic()
    scratch = Scratch("demo")
    started = []
    try:
        heading("a MySQL server and a Kafka broker are started")
        mysql, kafka = MySql(scratch), Kafka(scratch)
        started += [mysql, kafka]
        mysql.start(wait=False)
        kafka.start(wait=False)
        mysql.wait_ready()
        mysql.create_user(password="tide and mark").sql(SHOP)
        kafka.wait_ready()
        print(f"MySQL {mysql.one('SELECT VERSION()')} at 127.0.0.1:{mysql.port}, Kafka at {kafka.bootstrap}, "
              f"after {time.monotonic() - began:.1f} s")

        tidemark = Tidemark(scratch, Tidemark.base(mysql, kafka, "demo", also={
            "database.include.list": "shop",
            "key.converter.schemas.enable": False,
            "value.converter.schemas.enable": False,
        }))
        started.append(tidemark)
        heading("tidemark run FILE, where FILE says")
        print(tidemark.file.read_text().rstrip())
        start = time.monotonic()
        tidemark.start()
        tidemark.wait_for_log(READY, 30)
        print(f"\ntidemark streams after {(time.monotonic() - start) * 1000:.0f} ms")

        heading("time, operation (c created, u updated, d deleted), table, key, what changed")
        picture = Picture("demo")
        shop = Shop(mysql, given.rate, given.seed)
        with kafka.reader(*(f"demo.shop.{table}" for table in KEYS)) as reader:
            shop.start()
            shown = 0

            def show_until(condition, timeout):
                def look(records):
                    nonlocal shown
                    for record in records[shown:]:
                        picture.take(record)
                    shown = len(records)
                    return condition() or not tidemark.is_running() or shop.failed
                reader.read_until(look, timeout)

            end = time.monotonic() + given.seconds
            show_until(lambda: time.monotonic() > end, given.seconds + 30)
            shop.close()
            try:
                show_until(lambda: not list(picture.differences(mysql)), 15)
            except TimeoutError:
                pass  # the differences are told below

        heading("the records, replayed, against the tables")
        if not tidemark.is_running():
            raise AssertionError(f"tidemark ended by itself; {tidemark.tail(30)}")
        memory, cpu = tidemark.peak_rss(), tidemark.cpu_seconds()
        tidemark.stop()
        different = list(picture.differences(mysql))
        for line in different:
            print(line)
        for table, rows in picture.tables.items():
            if not any(line.startswith(f"{table}:") for line in different):
                print(f"{table:<12} {len(rows):>5} rows, equal")
        print(f"\n{shop.transactions} transactions, {picture.records} records ({picture.tombstones} tombstones), "
              f"median {statistics.median(picture.delays or [0]):.0f} ms from commit to consumer (read_committed)")
        print(f"tidemark used {memory / 2 ** 20:.0f} MiB at most and {cpu:.2f} s of CPU time; it stopped in order")
        return 1 if different else 0
    except KeyboardInterrupt:
        print("\nstopped")
        return 130
    except Unavailable as why:
        print(f"demo: {why}", file=sys.stderr)
        return 1
    except (AssertionError, TimeoutError) as why:
        scratch.keep = True
        print(f"\ndemo: {why}", file=sys.stderr)
        return 1
    finally:
        for process in reversed(started):
            process.kill()
        kept = scratch.close()
        if kept:
            print(f"demo: the files are kept in {kept}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
