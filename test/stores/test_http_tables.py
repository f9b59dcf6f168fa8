# SPDX-License-Identifier: Apache-2.0
"""Tables behind a web server, read without listings; every write is refused by name."""
import http.server
import os
import re
import subprocess
import threading

import pytest
from conftest import BUILD

# With classic checkpoint, vectors, changes, and a partition whose name needs escaping twice.
TABLES = """
CREATE TABLE t (i INT, p TEXT) PARTITIONED BY (p)
  WITH ("delta.enableDeletionVectors" = true, "delta.enableChangeDataFeed" = true);
INSERT INTO t SELECT n, CASE WHEN n % 2 = 0 THEN 'a b%20ü' ELSE 'x' END FROM range(10) r(n);
DELETE FROM t WHERE i = 4;
""" + "".join(f"INSERT INTO t VALUES ({n}, 'x');" for n in range(10, 21))


class Quiet(http.server.SimpleHTTPRequestHandler):
    """As `python -m http.server`: without ranges."""

    def log_message(self, *_):
        pass


class WithRanges(Quiet):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        path = self.translate_path(self.path)
        if not wanted or not os.path.isfile(path):
            super().do_GET()
            return
        with open(path, "rb") as file:
            data = file.read()
        first, last = int(wanted[1]), min(int(wanted[2]), len(data) - 1)
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {first}-{last}/{len(data)}")
        self.send_header("Content-Length", str(last - first + 1))
        self.end_headers()
        self.wfile.write(data[first:last + 1])


@pytest.fixture(scope="module", params=[Quiet, WithRanges])
def web(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("web") / "my lake"
    folder.mkdir()
    subprocess.run([str(BUILD / "weir"), "sql", "-w", str(folder), "-c", TABLES], check=True, capture_output=True)

    def handler(*arguments):
        return request.param(*arguments, directory=str(folder.parent))

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/my lake"
    server.shutdown()


def weir(*arguments):
    return subprocess.run([str(BUILD / "weir"), "sql", "--format", "jsonl", *arguments], capture_output=True, text=True,
                          timeout=120, check=False)


def test_a_table_behind_a_web_server(web):
    done = weir("-c", f"SELECT sum(i)::INT AS s, count(*) AS n FROM weir_scan('{web}/t');"
                      f"SELECT count(*) AS n FROM weir_scan('{web}/t', version => 1) WHERE p = 'a b%20ü';"
                      f"SELECT _change_type AS c, i FROM table_changes('{web}/t', 2, 2);"
                      f"SELECT version FROM weir_history('{web}/t') LIMIT 1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ['{"s":206,"n":20}', '{"n":5}', '{"c":"delete","i":4}', '{"version":13}']


def test_a_warehouse_behind_a_web_server(web):
    done = weir("-w", web, "-c", "SELECT count(*) AS n FROM t")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ['{"n":20}']


@pytest.mark.parametrize("statement", ["INSERT INTO t VALUES (1, 'x')", "DELETE FROM t WHERE i = 1",
                                       "CREATE TABLE u AS SELECT 1 AS i", "VACUUM t", "DROP TABLE t"])
def test_writes_are_refused_by_name(web, statement):
    done = weir("-w", web, "-c", statement)
    assert done.returncode == 1
    assert re.search("WEIR_READ_ONLY_STORE|WEIR_LISTING_UNSUPPORTED", done.stderr), done.stderr


def test_what_is_not_there(web):
    done = weir("-c", f"FROM weir_scan('{web}/none')")
    assert done.returncode == 1 and "DELTA_TABLE_NOT_FOUND" in done.stderr, done.stderr
    done = weir("-w", web, "-c", "SHOW TABLES")
    assert done.returncode == 1 and "WEIR_LISTING_UNSUPPORTED" in done.stderr, done.stderr


def test_a_token_in_an_address_is_not_shown(web):
    done = weir("-c", f"FROM weir_scan('{web}/t?sig=hush')")
    assert done.returncode == 1 and "WEIR_INVALID_LOCATION" in done.stderr, done.stderr
    assert "hush" not in done.stderr.split("LINE")[0], done.stderr
