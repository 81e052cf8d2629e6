"""Sends requests to Tributary over HTTP, and repeats those that may succeed later. Needs Python 3.9, and no packages."""

import http.client
import json
import os
import random
import time
import urllib.error
import urllib.request

URL = os.environ.get("TRIBUTARY_URL", "http://127.0.0.1:3902")
KEY = os.environ.get("TRIBUTARY_KEY", "")
# Must be shorter than the time for which Tributary remembers an event_id, which is at least 10 minutes.
RETRY_SECONDS = float(os.environ.get("TRIBUTARY_RETRY_SECONDS", "120"))

# Connections that cannot be opened, break off or time out.
BROKEN = (OSError, http.client.HTTPException)


class Problem(Exception):
    """An answer that is not 2xx. Its text says what to change."""

    def __init__(self, error):
        self.status = error.code
        after = error.headers.get("Retry-After", "")
        self.retry_after = int(after) if after.isdigit() else 0
        try:
            body = json.loads(error.read())
            text = f"{body['code']}: {body['detail']}"
        except (*BROKEN, ValueError, KeyError, TypeError):
            text = error.reason
        super().__init__(f"{error.code} {text}")


def may_pass(error):
    """Returns whether the same request may succeed later."""
    return not isinstance(error, Problem) or error.status in (408, 429, 502, 503, 504)


def pause(failures, error=None):
    """Returns the seconds until the next attempt: `Retry-After`, plus a random part that grows with the failures."""
    after = error.retry_after if isinstance(error, Problem) else 0
    return after + random.uniform(0, min(10, 0.1 * 2 ** min(failures, 10)))


def open_answer(path, *, body=None, headers=None, timeout=30):
    """Sends one request and returns the open answer. Raises Problem if the answer is not 2xx."""
    headers = {"Authorization": f"Bearer {KEY}", **(headers or {})}
    if body is not None:
        headers["Content-Type"] = "application/json"
    try:
        return urllib.request.urlopen(urllib.request.Request(URL + path, body, headers), timeout=timeout)
    except urllib.error.HTTPError as error:
        with error:
            raise Problem(error) from None


def ask(path, document=None):
    """Posts the document, or gets the path, and returns the JSON of the answer. Repeats the same bytes until it is there."""
    body = None if document is None else json.dumps(document).encode()
    end = time.monotonic() + RETRY_SECONDS
    failures = 0
    while True:
        try:
            with open_answer(path, body=body) as answer:
                return json.load(answer)
        except (Problem, *BROKEN) as error:
            wait = pause(failures, error)
            if not may_pass(error) or time.monotonic() + wait > end:
                raise
            failures += 1
            time.sleep(wait)
