"""Prints the events of a query, one on each line.

    python3 read.py NAME=VALUE ...      for example: python3 read.py stream=orders since=-1h order=desc

The parameters are those of GET /api/v1/events/query. `limit` is the size of a page; all pages are read.
"""

import json
import os
import sys
import urllib.parse

from tributary import BROKEN, Problem, ask


def pages(parameters):
    """Yields the events of each page. A cursor belongs to its parameters, so they stay the same."""
    cursor = []
    while cursor is not None:
        try:
            page = ask("/api/v1/events/query?" + urllib.parse.urlencode(parameters + cursor))
        except (Problem, *BROKEN) as error:
            sys.exit(f"The query failed: {error}")
        yield page["events"]
        cursor = [("cursor", page["next_cursor"])] if page.get("next_cursor") else None


def main():
    parameters = [tuple(argument.split("=", 1)) for argument in sys.argv[1:]]
    if not parameters or any(len(pair) != 2 for pair in parameters):
        sys.exit(__doc__)
    try:
        for events in pages(parameters):
            for event in events:
                print(json.dumps(event))
        sys.stdout.flush()
    except BrokenPipeError:
        # The program that reads the output has ended, as `head` does.
        os._exit(1)


if __name__ == "__main__":
    main()
