"""Prints the changes of the offset of each zone in a list of names (JSON, stdin) from 1970 to 2100, a line a zone.

A line is a zone's name and a list of [instant, offset before, offset after], all in seconds. The parameter is the
folder of the time zone database.
"""
import json
import sys
import zoneinfo
from datetime import datetime, timedelta, timezone

zoneinfo.reset_tzpath([sys.argv[1]])
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
END = int(datetime(2100, 1, 1, tzinfo=timezone.utc).timestamp())
# Shorter than the shortest time between two changes.
STEP = 6 * 86400

for name in json.load(sys.stdin):
    zone = zoneinfo.ZoneInfo(name)

    def offset(instant):
        return int((EPOCH + timedelta(seconds=instant)).astimezone(zone).utcoffset().total_seconds())

    changes, before = [], offset(0)
    for start in range(0, END, STEP):
        low, high, after = start, start + STEP, offset(start + STEP)
        while before != after and high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if offset(middle) == before else (low, middle)
        if before != after:
            changes.append([high, before, after])
        before = after
    print(json.dumps([name, changes]))
