"""The metrics port: /metrics and /healthz."""

import logging
import socket
import socketserver
import sys
import threading
import wsgiref.simple_server
from collections.abc import Callable, Iterable
from typing import Any

from prometheus_client import CollectorRegistry, make_wsgi_app

log = logging.getLogger(__name__)


class MetricsListenError(Exception):
    """The address cannot be listened on."""


class _Server(socketserver.ThreadingMixIn, wsgiref.simple_server.WSGIServer):
    daemon_threads = True
    # Later Pythons would let two servers share a port, and each scrape get one of them by chance.
    allow_reuse_port = False
    # With the default of 5, a few silent callers make a scrape wait for seconds.
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Called within the handling of an exception. A caller that went away is not worth a log line."""
        if not isinstance(sys.exception(), OSError):
            log.exception("a request for metrics failed")


class _ServerV6(_Server):
    address_family = socket.AF_INET6


class _QuietHandler(wsgiref.simple_server.WSGIRequestHandler):
    # A client that says nothing must not keep a thread for ever.
    timeout = 10

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Scrapes are not worth a log line."""


class MetricsEndpoint:
    """Serves metrics from a thread of its own, so that they are there when the event loop is not."""

    def __init__(
        self, host: str, port: int, registry: CollectorRegistry, is_healthy: Callable[[], bool]
    ) -> None:
        """Listen. Raises MetricsListenError."""
        metrics = make_wsgi_app(registry)

        def app(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
            path = environ.get("PATH_INFO", "/")
            if path == "/metrics":
                body: Iterable[bytes] = metrics(environ, start_response)
                return body
            status, text = "404 Not Found", "here are /metrics and /healthz\n"
            if path == "/healthz":
                status, text = (
                    ("200 OK", "ok\n") if is_healthy() else ("503 Service Unavailable", "not serving\n")
                )
            start_response(status, [("Content-Type", "text/plain; charset=utf-8")])
            return [text.encode()]

        try:
            self._server = wsgiref.simple_server.make_server(
                host,
                port,
                app,
                server_class=_ServerV6 if ":" in host else _Server,
                handler_class=_QuietHandler,
            )
        except OSError as error:
            raise MetricsListenError(
                f"cannot listen on {host}:{port} for metrics ({error.strerror}): choose another address with "
                "--metrics-listen HOST:PORT"
            ) from error
        self._thread = threading.Thread(target=self._server.serve_forever, name="metrics", daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        """The port that is listened on."""
        return self._server.server_port

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
