# SPDX-License-Identifier: Apache-2.0
"""A store in which the i-th request goes wrong, and what a statement leaves behind then."""
import re
import signal
import socket
import threading

DENIED = (b'<?xml version="1.0" encoding="UTF-8"?><Error><Code>AccessDenied</Code>'
          b"<Message>the test says no</Message></Error>")

# What goes wrong:
#   denied  this request is refused, as by a policy that has changed or a full quota
#   cut     this one and all later ones are refused: the writer is out for good
#   lost    it happens, and the connection breaks before the answer
#   killed  it happens, and the writer is killed before the answer
#   stale   a list does not show its last object yet
KINDS = ["denied", "cut", "lost", "killed", "stale"]


class Faults:
    """Stands before a server. While armed it counts the requests below `prefix`, and lets one go wrong."""

    def __init__(self, application):
        self.application = application
        self.lock = threading.Lock()
        self.prefix = None
        self.position = self.count = 0
        self.kind = self.victim = None
        self.is_running = threading.Event()
        self.was_hit = False

    def arm(self, prefix, position, kind):
        self.prefix, self.position, self.kind = prefix, position, kind
        self.count, self.was_hit, self.requests = 0, False, []
        self.is_running.clear()

    def watch(self, process):
        """Who is to be killed; until this is called, requests that would kill it wait."""
        self.victim = process
        self.is_running.set()

    def disarm(self):
        self.prefix = None

    def __call__(self, environ, start_response):
        with self.lock:
            kind = self.strikes(environ)
        if kind in ("denied", "cut"):
            start_response("403 Forbidden", [("Content-Type", "application/xml"), ("Content-Length", str(len(DENIED)))])
            return [DENIED]
        if kind == "stale":
            return self.stale(environ, start_response)
        answer = self.application(environ, start_response)
        if kind == "killed":
            self.is_running.wait()
            self.victim.send_signal(signal.SIGKILL)
            self.victim.wait()
        if kind in ("lost", "killed"):
            environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
        return answer

    def strikes(self, environ):
        where = environ["PATH_INFO"] + "?" + environ["QUERY_STRING"]
        if self.prefix is None or self.prefix + "/" not in where.replace("%2F", "/"):
            return None
        self.requests.append((environ["REQUEST_METHOD"], environ["PATH_INFO"]))
        at, self.count = self.count, self.count + 1
        if at != self.position and not (self.kind == "cut" and at > self.position):
            return None
        if self.kind == "stale" and "list-type" not in where:
            return None
        self.was_hit = True
        return self.kind

    def stale(self, environ, start_response):
        kept = {}

        def keep(status, headers, *_):
            kept["status"], kept["headers"] = status, headers

        body = b"".join(self.application(environ, keep))
        found = list(re.finditer(rb"<Contents>.*?</Contents>", body, re.DOTALL))
        if found:
            body = body[:found[-1].start()] + body[found[-1].end():]
        headers = [(k, v) for k, v in kept["headers"] if k.lower() != "content-length"]
        start_response(kept["status"], [*headers, ("Content-Length", str(len(body)))])
        return [body]
