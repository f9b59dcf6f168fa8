# SPDX-License-Identifier: Apache-2.0
"""Opening, committing to and scanning a table of 1,000 files on a store that answers each request 20 ms late.

The store is moto on this machine. Counted are the requests, and the time from the first of them to the end of the last,
so that the start of a program does not count. Prints a row of a Markdown table for each case."""
import argparse
import json
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections import Counter
from pathlib import Path

DELTA_RS = """
import json, sys
import pyarrow as pa
from deltalake import DeltaTable, write_deltalake
case, path, options = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
if case == "open":
    print(len(DeltaTable(path, storage_options=options).file_uris()))
elif case == "commit":
    table = pa.table({"i": pa.array([1], pa.int64()), "p": pa.array([1], pa.int64())})
    write_deltalake(path, table, mode="append", storage_options=options)
else:
    dataset = DeltaTable(path, storage_options=options).to_pyarrow_dataset()
    print(dataset.to_table(columns=["i"])["i"].to_pandas().sum())
"""
SQL = {"open": "SELECT numFiles FROM weir_detail('t')", "commit": "INSERT INTO t VALUES (1, 1)",
       "scan": "SELECT sum(i) AS s FROM t"}


class Slow:
    """Every answer comes late, and is counted while `counter` is set."""

    def __init__(self, application, seconds):
        self.application, self.seconds = application, seconds
        self.moto = threading.Lock()  # moto does one thing at a time
        self.guard = threading.Lock()
        self.restart()

    def restart(self):
        self.methods, self.first, self.last = Counter(), None, 0

    def __call__(self, environ, start_response):
        with self.guard:
            self.first = self.first or time.monotonic()
            self.methods[environ["REQUEST_METHOD"]] += 1
        time.sleep(self.seconds)
        with self.moto:
            answer = list(self.application(environ, start_response))
        with self.guard:
            self.last = time.monotonic()
        return answer


def serve(application):
    from werkzeug.serving import WSGIRequestHandler, make_server

    class Quiet(WSGIRequestHandler):
        protocol_version = "HTTP/1.1"

        def log(self, *_):
            pass

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = make_server("127.0.0.1", port, application, threaded=True, request_handler=Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{port}"


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--build", default=os.environ.get("WEIR_BIN", "build/release"), help="where weir is")
    arguments.add_argument("--files", type=int, default=1000)
    arguments.add_argument("--milliseconds", type=float, default=20)
    options = arguments.parse_args()
    from moto.server import DomainDispatcherApplication, create_backend_app

    slow = Slow(DomainDispatcherApplication(create_backend_app), 0)
    url = serve(slow)
    urllib.request.urlopen(urllib.request.Request(f"{url}/lake", method="PUT")).close()
    keys = {"AWS_ENDPOINT_URL": url, "AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "y", "AWS_REGION": "us-east-1",
            "AWS_EC2_METADATA_DISABLED": "true"}
    environment = {**os.environ, **keys}

    def weir(sql):
        command = [str(Path(options.build) / "weir"), "sql", "-w", "s3://lake", "--format", "csv", "-c", sql]
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)

    def delta_rs(case):
        subprocess.run([sys.executable, "-c", DELTA_RS, case, "s3://lake/t",
                        json.dumps({**keys, "AWS_ALLOW_HTTP": "true"})], check=True, stdout=subprocess.DEVNULL)

    # Files of one partition each, then six commits behind the checkpoint: neither's commit is the tenth, which writes the
    # next one.
    weir(f"CREATE TABLE t (i BIGINT, p BIGINT) PARTITIONED BY (p); INSERT INTO t SELECT i, i FROM range({options.files})"
         " r(i); SELECT * FROM weir_checkpoint('t')")
    weir("".join(f"INSERT INTO t VALUES ({n}, {n});" for n in range(6)))
    slow.seconds = options.milliseconds / 1000
    print("| | requests | of them | seconds |\n|---|---:|---|---:|")
    for case in SQL:
        for name, run in (("Weir", lambda case: weir(SQL[case])), ("delta-rs", delta_rs)):
            slow.restart()
            run(case)
            methods = ", ".join(f"{count} {method}" for method, count in sorted(slow.methods.items()))
            print(f"| {case}, {name} | {sum(slow.methods.values())} | {methods} | {slow.last - slow.first:.2f} |")


if __name__ == "__main__":
    main()
