"""A service on loopback that renews logins, each refresh token once."""

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ACCOUNT = "acct-2718281828"


def jwt(name: str, *, ends_in: timedelta = timedelta(hours=1)) -> str:
    """Make an access token of the form that Codex has; nobody signed it."""
    said = {
        "name": name,
        "exp": int((datetime.now(UTC) + ends_in).timestamp()),
        "https://api.openai.com/auth": {"chatgpt_account_id": ACCOUNT},
    }
    parts = ({"alg": "none"}, said)
    encoded = [
        base64.urlsafe_b64encode(json.dumps(it).encode()).decode().rstrip("=") for it in parts
    ]
    return ".".join((*encoded, "signature-of-nobody"))


def auth_json(
    access: str, *, refresh: str | None = "rt-first-0000000000000000"
) -> dict[str, object]:
    """Write what `codex login` leaves."""
    return {
        "auth_mode": "chatgpt",
        "OPENAI_API_KEY": None,
        "tokens": {
            "id_token": jwt("id"),
            "access_token": access,
            "refresh_token": refresh,
            "account_id": ACCOUNT,
        },
        "last_refresh": datetime.now(UTC).isoformat(),
        "more": "kept as it is",
    }


class TokenService:
    """Knows which refresh token is the next one, and counts who asks."""

    def __init__(self, first: str = "rt-first-0000000000000000", status: int = 200) -> None:
        self.valid = first
        self.status = status
        self.asked: list[dict[str, str]] = []
        self.given: list[str] = []
        self.url = ""
        self._lock = threading.Lock()

    def answer(self, question: dict[str, str]) -> tuple[int, dict[str, str]]:
        with self._lock:
            self.asked.append(question)
            if self.status != 200 or question.get("refresh_token") != self.valid:
                return max(self.status, 401), {"error": "refresh_token_reused"}
            self.valid = f"rt-number-{len(self.asked):016}"
            self.given.append(jwt(f"renewed {len(self.asked)}"))
            return 200, {"access_token": self.given[-1], "refresh_token": self.valid}


class _Exchange(BaseHTTPRequestHandler):
    def __init__(self, service: TokenService, *connection: object) -> None:
        self._service = service
        super().__init__(*connection)  # type: ignore[arg-type]

    def do_POST(self) -> None:
        said = self.rfile.read(int(self.headers["Content-Length"]))
        status, answer = self._service.answer(json.loads(said))
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # type: ignore[explicit-override] # noqa: A002
        """Keep quiet."""


@contextmanager
def serving(service: TokenService) -> Iterator[TokenService]:
    """Listen on loopback as long as the context lasts."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Exchange, service)) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        service.url = f"http://127.0.0.1:{server.server_port}/oauth/token"
        try:
            yield service
        finally:
            server.shutdown()
            thread.join()
