# SPDX-License-Identifier: Apache-2.0
"""Object stores of this machine: S3 by moto, Azure by Azurite. Nothing leaves the machine."""
import base64
import hashlib
import hmac
import os
import socket
import subprocess
import threading
import time
import urllib.request
from email.utils import formatdate
from pathlib import Path

import pytest
from faults import Faults

BUILD = Path(os.environ.get("WEIR_BIN", "build"))
DEPS = Path(os.environ.get("WEIR_DEPS", "build/deps"))


class Store:
    """A bucket or container: where it is, how Weir is told to reach it, and how delta-rs is."""

    def __init__(self, root, environment, delta_rs):
        self.root = root
        self.environment = {**os.environ, "AWS_EC2_METADATA_DISABLED": "true", **environment}
        self.delta_rs = delta_rs

    def weir(self, *arguments, folder="lake", script=None, **more):
        """`weir sql` on a warehouse in the store."""
        command = [str(BUILD / "weir"), "sql", "-w", f"{self.root}/{folder}", "--format", "jsonl", *arguments]
        return subprocess.run(command, input=script, env={**self.environment, **more}, capture_output=True, text=True,
                              timeout=300, check=False)

    def rows(self, sql, **more):
        done = self.weir("-c", sql, **more)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class OneAtATime:
    """moto looks whether an object is there and writes it in two steps; S3 does it in one."""

    def __init__(self, application):
        self.application = application
        self.lock = threading.Lock()

    def __call__(self, environ, start_response):
        with self.lock:
            return list(self.application(environ, start_response))


class WithoutConditions:
    """A server that does not know conditions on writes, as older ones."""

    def __init__(self, application):
        self.application = application

    def __call__(self, environ, start_response):
        environ.pop("HTTP_IF_NONE_MATCH", None)
        return self.application(environ, start_response)


def serve(application):
    from werkzeug.serving import WSGIRequestHandler, make_server

    class Quiet(WSGIRequestHandler):
        protocol_version = "HTTP/1.1"

        def log(self, *_):
            pass

    server = make_server("127.0.0.1", free_port(), application, threaded=True, request_handler=Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


@pytest.fixture(scope="session")
def moto():
    from moto.server import DomainDispatcherApplication, create_backend_app

    return OneAtATime(DomainDispatcherApplication(create_backend_app))


def s3_store(url, bucket):
    urllib.request.urlopen(urllib.request.Request(f"{url}/{bucket}", method="PUT")).close()
    keys = {"AWS_ENDPOINT_URL": url, "AWS_ACCESS_KEY_ID": "weir", "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_REGION": "us-east-1"}
    return Store(f"s3://{bucket}", keys, {**keys, "AWS_ALLOW_HTTP": "true"})


@pytest.fixture(scope="session")
def s3(moto):
    return s3_store(serve(moto), "weir-lake")


@pytest.fixture(scope="session")
def s3_without_conditions(moto):
    return s3_store(serve(WithoutConditions(moto)), "weir-unsafe")


@pytest.fixture(scope="session")
def faults(moto):
    return Faults(moto)


@pytest.fixture(scope="session")
def lake(faults):
    """A store whose requests are counted, and of which one may go wrong."""
    url = serve(faults)
    store = s3_store(url, "weir-faults")
    store.url = f"{url}/weir-faults"
    return store


ACCOUNT = "devstoreaccount1"
# Azurite's own, published key.
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


def create_container(url, container):
    headers = {"x-ms-date": formatdate(usegmt=True), "x-ms-version": "2021-12-02"}
    signed = "".join(f"{name}:{value}\n" for name, value in headers.items())
    text = f"PUT{chr(10) * 12}{signed}/{ACCOUNT}/{ACCOUNT}/{container}\nrestype:container"
    proof = base64.b64encode(hmac.new(base64.b64decode(KEY), text.encode(), hashlib.sha256).digest()).decode()
    headers["Authorization"] = f"SharedKey {ACCOUNT}:{proof}"
    urllib.request.urlopen(urllib.request.Request(f"{url}/{container}?restype=container", method="PUT",
                                                  headers=headers)).close()


@pytest.fixture(scope="session")
def azure(tmp_path_factory):
    port = free_port()
    main = DEPS / "node" / "node_modules" / "azurite" / "dist" / "src" / "blob" / "main.js"
    with open(tmp_path_factory.mktemp("azurite") / "log", "w") as log:
        server = subprocess.Popen(["node", str(main), "--inMemoryPersistence", "--blobHost", "127.0.0.1", "--blobPort",
                                   str(port), "--disableTelemetry", "--skipApiVersionCheck"], stdout=log, stderr=log)
    url = f"http://127.0.0.1:{port}/{ACCOUNT}"
    # On a machine with much else to do it takes its time.
    for _ in range(1200):
        assert server.poll() is None, "Azurite has ended"
        try:
            create_container(url, "weir-lake")
            break
        except OSError:
            time.sleep(0.25)
    else:
        raise TimeoutError("Azurite does not answer")
    keys = {"AZURE_STORAGE_ENDPOINT": url, "AZURE_STORAGE_ACCOUNT": ACCOUNT, "AZURE_STORAGE_KEY": KEY}
    # Where delta-rs looks for the emulator.
    os.environ["AZURITE_BLOB_STORAGE_URL"] = f"http://127.0.0.1:{port}"
    yield Store("az://weir-lake", keys, {"azure_storage_account_name": ACCOUNT, "azure_storage_account_key": KEY,
                                         "azure_storage_use_emulator": "true"})
    server.terminate()
    server.wait()


@pytest.fixture(params=["s3", "azure"])
def store(request):
    return request.getfixturevalue(request.param)
