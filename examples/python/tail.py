"""Prints events as they are stored, one on each line, and continues where it stopped.

    python3 tail.py POSITION_FILE NAME=VALUE ...      for example: python3 tail.py orders.position stream=orders

The parameters are those of GET /api/v1/events/stream; keep them the same for one file. Without a file, it begins with the
next event, or with `since`.
"""

import json
import os
import sys
import time
import urllib.parse

from tributary import BROKEN, Problem, may_pass, open_answer, pause

# After these ends of a stream, the same request ends again.
FINAL = ("invalid_token", "stream_not_found", "query_too_expensive", "invalid_request")
# The server sends a heartbeat every 15 seconds. A longer silence is a broken connection.
SILENCE_SECONDS = 45


def messages(answer):
    """Yields each message of a stream of server-sent events as its fields. A message that is cut off is left out."""
    fields = {}
    for line in answer:
        name, _, value = line.decode().rstrip("\r\n").partition(":")
        if name:
            fields[name] = value.removeprefix(" ")
        elif not line.strip():
            yield fields
            fields = {}


def load(file):
    """Returns the position of an earlier run, or None."""
    if not os.path.exists(file):
        return None
    with open(file) as opened:
        return opened.read().strip()


def save(file, position):
    """Replaces the file by a complete one, so that a kill leaves the former position."""
    try:
        with open(f"{file}.new", "w") as opened:
            opened.write(position)
        os.replace(f"{file}.new", file)
    except OSError as error:
        sys.exit(f"The position cannot be saved: {error}")


def follow(query, file):
    """Yields the text of each event, for ever. Raises Problem if another attempt cannot help."""
    failures, retry, error = 0, 1.0, None
    seen = set()  # The events after the saved position, which may come again.
    while True:
        position = load(file)
        headers = {"Last-Event-ID": position} if position else {}
        try:
            with open_answer(f"/api/v1/events/stream?{query}", headers=headers, timeout=SILENCE_SECONDS) as answer:
                for message in messages(answer):
                    failures, error = 0, None
                    retry = int(message.get("retry", retry * 1000)) / 1000
                    if message.get("event") == "error":
                        problem = json.loads(message["data"])
                        error = f"{problem['code']}: {problem['detail']}"
                        if problem["code"] in FINAL:
                            sys.exit(f"The stream ended: {error}")
                    elif message.get("event") == "event":
                        event_id = json.loads(message["data"])["event_id"]
                        if event_id not in seen:
                            yield message["data"]
                        seen.add(event_id)
                    # First the event, then the position: after a kill between the two, the event comes again.
                    if "id" in message:
                        save(file, message["id"])
                        seen.clear()
        except (Problem, *BROKEN) as broken:
            if not may_pass(broken):
                raise
            error = broken
        wait = retry + pause(failures, error)
        failures += 1
        print(f"Reconnecting in {wait:.1f} s: {error or 'the stream ended'}", file=sys.stderr)
        time.sleep(wait)


def main():
    parameters = [tuple(argument.split("=", 1)) for argument in sys.argv[2:]]
    if not parameters or any(len(pair) != 2 for pair in parameters):
        sys.exit(__doc__)
    try:
        for event in follow(urllib.parse.urlencode(parameters), sys.argv[1]):
            print(event, flush=True)
    except Problem as error:
        sys.exit(f"The stream is refused: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
