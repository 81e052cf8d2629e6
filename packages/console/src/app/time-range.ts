import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import {
  boundsAt,
  errorsOf,
  isRelativeTime,
  rangeOf,
  readTime,
  refreshIntervals,
  type RangeErrors,
  type RangeName,
  type RangeParameters,
  type RefreshName,
  type TimeBounds,
  type TimeRange,
} from '../logic/time-range.js';
import { isLoading } from './resource.js';
import { parameter, setQuery } from './router.js';

/** What a view shows when the URL says nothing. */
export interface TimeDefaults {
  range: RangeName;
  refresh: RefreshName;
  /** Whether the view can show everything. */
  hasAll: boolean;
}

/** The range of time of a view and its refreshes, both of the URL. */
export interface ViewTimes {
  range: TimeRange;
  hasAll: boolean;
  /** The bounds of the range at the last refresh. */
  bounds: TimeBounds;
  errors: RangeErrors;
  /** Whether the bounds can be used. */
  isValid: boolean;
  /** The time of the last refresh, in milliseconds. */
  asOf: number;
  refreshEvery: RefreshName;
  reload: () => void;
  select: (change: RangeParameters) => void;
  setRefresh: (name: string) => void;
  /** Selects a part of the range, in seconds. */
  zoom: (from: number, to: number) => void;
  /** Selects the range before the last zoom; undefined if there is none. */
  zoomOut?: () => void;
}

const mostZooms = 50;
const allOnce: TimeDefaults = { range: 'all', refresh: 'off', hasAll: true };

/** Reads the range and the refresh of the URL, and refreshes while the page is visible and nothing is loading. */
export function useTimeRange(byDefault = allOnce): ViewTimes {
  const [round, setRound] = useState(0);
  const [zooms, setZooms] = useState<readonly RangeParameters[]>([]);
  const inUrl = { range: parameter('range'), since: parameter('since'), until: parameter('until') };
  const name = JSON.stringify(inUrl);
  const asOf = useMemo(() => Date.now(), [round, name]);
  const range = rangeOf(inUrl, byDefault.range, byDefault.hasAll);
  const refresh = parameter('refresh') ?? byDefault.refresh;
  const refreshEvery = Object.hasOwn(refreshIntervals, refresh)
    ? (refresh as RefreshName)
    : byDefault.refresh;
  const reload = () => setRound((round) => round + 1);
  useTicks({ seconds: refreshIntervals[refreshEvery], since: asOf, tick: reload });
  const select = ({ range, since, until }: RangeParameters) =>
    setQuery({ range: range === byDefault.range ? undefined : range, since, until });
  const last = zooms.at(-1);
  const errors = errorsOf(range, asOf);
  return {
    ...{ range, hasAll: byDefault.hasAll, errors, asOf, refreshEvery, reload, select },
    bounds: boundsAt(range, asOf),
    isValid: errors.since === undefined && errors.until === undefined,
    setRefresh: (name) => setQuery({ refresh: name === byDefault.refresh ? undefined : name }),
    zoom: (from, to) => {
      setZooms([...zooms, inUrl].slice(-mostZooms));
      select({ since: textOf(from), until: textOf(to) });
    },
    zoomOut:
      last &&
      (() => {
        setZooms(zooms.slice(0, -1));
        select(last);
      }),
  };
}

interface Ticks {
  /** 0 for no ticks. */
  seconds: number;
  /** The time of the last tick, in milliseconds. */
  since: number;
  tick: () => void;
}

/** Ticks while the page is visible. A tick waits until nothing is loading: a slow answer is not cut off by the next. */
function useTicks(ticks: Ticks): void {
  const latest = useRef(ticks);
  latest.current = ticks;
  useEffect(() => {
    if (ticks.seconds === 0) return;
    const timer = setInterval(() => {
      const { seconds, since, tick } = latest.current;
      if (!document.hidden && !isLoading() && Date.now() - since >= seconds * 1000) tick();
    }, 250);
    return () => clearInterval(timer);
  }, [ticks.seconds]);
}

/** Returns a text of a field as the URL has it: in UTC, or relative as it was typed. An invalid text stays as it is. */
export function boundOf(text: string): string {
  return isRelativeTime(text) ? text.trim() : (readTime(text, 0) ?? text.trim());
}

function textOf(seconds: number): string {
  return new Date(Math.round(seconds * 1000)).toISOString().replace('.000Z', 'Z');
}
