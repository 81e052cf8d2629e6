"""Prints the changes of the offset of each zone in a list of names (JSON, stdin) from 1970 to 2100, a line a zone.

A line is a zone's name and a list of [instant, offset before, offset after, intervals before, intervals after], all in
seconds. Intervals are the [start, end] of the day, week, month, quarter and year that contain the second before the
change, and the change. The parameter is the folder of the time zone database.
"""
import json
import sys
import zoneinfo
from datetime import date, datetime, timedelta, timezone

zoneinfo.reset_tzpath([sys.argv[1]])
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
END = int(datetime(2100, 1, 1, tzinfo=timezone.utc).timestamp())
# Shorter than the shortest time between two changes.
STEP = 6 * 86400


def after(day, unit):
    if unit < 2:
        return day + timedelta(days=(1, 7)[unit])
    month = day.month - 1 + (1, 3, 12)[unit - 2]
    return date(day.year + month // 12, month % 12 + 1, 1)


def first_day(day, unit):
    if unit < 2:
        return day - timedelta(days=(0, day.weekday())[unit])
    return date(day.year, day.month - (day.month - 1) % (1, 3, 12)[unit - 2], 1)


def start_of(day, zone):
    """Returns the first instant of a day: its first midnight, or the end of the gap that has no midnight."""
    midnight = datetime(day.year, day.month, day.day, tzinfo=zone)
    low, high = (int(midnight.replace(fold=fold).timestamp()) for fold in (1, 0))
    # In a gap, the later reading of a local time is the earlier instant.
    while low < high:
        middle = (low + high) // 2
        if datetime.fromtimestamp(middle, zone).date() >= day:
            high = middle
        else:
            low = middle + 1
    return high


def intervals(instant, zone):
    found = []
    for unit in range(5):
        day = first_day(datetime.fromtimestamp(instant, zone).date(), unit)
        start, end = start_of(day, zone), start_of(after(day, unit), zone)
        while end <= instant:
            day, start = after(day, unit), end
            end = start_of(after(day, unit), zone)
        found.append([start, end])
    return found


for name in json.load(sys.stdin):
    zone = zoneinfo.ZoneInfo(name)

    def offset(instant):
        return int((EPOCH + timedelta(seconds=instant)).astimezone(zone).utcoffset().total_seconds())

    changes, before = [], offset(0)
    for start in range(0, END, STEP):
        low, high, later = start, start + STEP, offset(start + STEP)
        while before != later and high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if offset(middle) == before else (low, middle)
        if before != later:
            changes.append([high, before, later, intervals(high - 1, zone), intervals(high, zone)])
        before = later
    print(json.dumps([name, changes]))
