"""Writes events: each line of standard input, a JSON value, becomes the `data` of an event.

    python3 write.py STREAM EVENT_TYPE [ENTITY_ID] < lines

Prints the answer to each event, with its partition and offset. Ends with exit code 1 at the first event that Tributary
rejects, or does not acknowledge in time.
"""

import json
import sys
import uuid

from tributary import BROKEN, RETRY_SECONDS, Problem, ask, may_pass


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    stream, event_type = sys.argv[1:3]
    for number, line in enumerate(sys.stdin, start=1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
        except ValueError as error:
            sys.exit(f"Line {number} is not JSON: {error}")
        # The id is made once for each event. A repeated request has the same id, so the event is stored once.
        event = {
            "event_id": str(uuid.uuid4()),
            "stream": stream,
            "event_type": event_type,
            "data": data,
        }
        if len(sys.argv) == 4:
            event["entity_id"] = sys.argv[3]
        try:
            answer = ask("/api/v1/events", event)
        except (Problem, *BROKEN) as error:
            if may_pass(error):
                # Nobody knows whether the event is stored: send it again later, with this id.
                sys.exit(f"Line {number}: no acknowledgement of {event['event_id']} in {RETRY_SECONDS:g} s: {error}")
            sys.exit(f"Line {number} is rejected: {error}")
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
