import type {
  EventCountBucket,
  EventCountQuery,
  EventFilter,
  EventQuery,
  Pages,
  StoredEvent,
  WhereHint,
} from '#client';
import type { ParsedArguments } from '../arguments/parse.js';
import { instantOption, type Options, type Positional } from '../arguments/options.js';
import type { Column } from '../output/formats.js';
import type { CommandSession } from '../session/session.js';
import type { Command } from './command.js';
import { follow, PositionFile } from '../live/follow.js';
import { messageOf } from '../errors/message-of.js';

/** The positional argument `STREAM...` of commands that select events. */
export const streamsPositional: Positional = {
  ...{ name: 'STREAM', optional: true, many: true, completes: 'streams' },
  about: 'streams; default: all that the key may read',
};

export const filterOptions: Options = {
  type: { value: 'TYPE', multiple: true, about: 'event type' },
  'type-prefix': { value: 'TEXT', about: 'event types with this prefix' },
  entity: { value: 'ID', multiple: true, about: 'entity' },
  since: instantOption('events of this time or later: 2026-01-31T10:00:00Z, or 15m: the last 15 minutes'),
  until: instantOption('events before this time: 2026-02-01T00:00:00Z, 1h, now'),
  where: { value: 'CEL', about: "condition: 'event.data.amount > 50'" },
};

export const waitOption: Options = {
  'wait-for': {
    ...{ value: 'POSITION', multiple: true },
    about: 'wait until this position can be queried, stream:partition:offset',
  },
};

/** Returns the event filter of a command line. */
export function filterOf(input: ParsedArguments): EventFilter {
  const streams = input.allWords('STREAM');
  return {
    ...(streams.length > 0 && { stream: streams }),
    event_type: input.texts('type'),
    event_type_prefix: input.text('type-prefix'),
    entity_id: input.texts('entity'),
    since: input.text('since'),
    until: input.text('until'),
    where: input.text('where'),
  };
}

/** The columns of events. CSV has the columns of the API's CSV. */
export const eventColumns: readonly Column<StoredEvent>[] = [
  { name: 'event_id', csvOnly: true },
  { name: 'stream' },
  { name: 'event_type' },
  { name: 'entity_id' },
  { name: 'version' },
  { name: 'timestamp' },
  { name: 'ingested_at', csvOnly: true },
  { name: 'schema_version', csvOnly: true },
  { name: 'partition', csvOnly: true },
  { name: 'offset', csvOnly: true },
  { name: 'metadata', of: ({ metadataText }) => metadataText, csvOnly: true },
  { name: 'data', of: ({ dataText }) => dataText },
];

/** Returns the columns of the event in a larger item. */
export function columnsOfEvent<T>(eventOf: (item: T) => StoredEvent | null): Column<T>[] {
  return eventColumns.map(({ name, of, csvOnly }) => ({
    ...{ name, csvOnly },
    of: (item) => {
      const event = eventOf(item);
      return event && (of ? of(event) : event[name as keyof StoredEvent]);
    },
  }));
}

const pageSize = 1000;

/** The number of events that `query` shows on a terminal without `--limit`. */
const shownOnTerminal = 20;

export const query: Command = {
  name: 'query',
  summary: 'Shows events, ordered by the time they happened.',
  positionals: [streamsPositional],
  options: {
    ...filterOptions,
    order: { value: 'ORDER', oneOf: ['asc', 'desc'], about: 'oldest or newest first; default asc' },
    limit: { value: 'N', least: 1, about: 'maximum number of events; default: all, on a terminal 20' },
    ...waitOption,
  },
  details: `On a terminal, without --limit, it shows the newest ${shownOnTerminal} events; with --order, the first ones in that order.`,
  effect: 'reads',
  async run(session, input) {
    const most = input.whole('limit') ?? Infinity;
    const order = input.text('order') as EventQuery['order'];
    const wait_for = input.texts('wait-for');
    const client = await session.client();
    const excerpt = most === Infinity && session.terminal.stdout.isTTY === true;
    const limit = excerpt ? shownOnTerminal + 1 : Math.min(most, pageSize);
    const asked = { ...filterOf(input), order: excerpt ? (order ?? 'desc') : order, wait_for, limit };
    const events = reportingNone(session, client.events(asked, { signal: session.signal }));
    if (excerpt) return showExcerpt(session, events, order);
    await session.output.list(first(events, most), eventColumns);
  },
};

/** Shows the events that a terminal shows without `--limit`, and then says how to get more if there are more. */
async function showExcerpt(
  session: CommandSession,
  events: AsyncIterable<StoredEvent>,
  order: EventQuery['order'],
): Promise<void> {
  const read: StoredEvent[] = [];
  for await (const event of first(events, shownOnTerminal + 1)) read.push(event);
  const shown = read.slice(0, shownOnTerminal);
  const ordered = order === undefined ? shown.toReversed() : shown;
  await session.output.list(ordered, eventColumns);
  if (read.length === shown.length) return;
  const which = order === 'asc' ? 'oldest' : 'newest';
  session.report(
    `These are the ${which} ${shownOnTerminal} events. --limit N shows more, and a pipe gets all.`,
  );
}

/** Yields the events of all pages. If there is none, says so on standard error, and why. */
async function* reportingNone(
  session: CommandSession,
  events: Pages<StoredEvent>,
): AsyncGenerator<StoredEvent> {
  let none = true;
  for await (const { items, hints } of events.pages()) {
    none &&= items.length === 0;
    yield* items;
    if (none) reportHints(session, '0 events', hints);
  }
}

/** Says on standard error that nothing was found, with the hints of the answer. */
function reportHints(session: CommandSession, nothing: string, hints: readonly WhereHint[] = []): void {
  session.report([nothing, ...hints.map(({ detail }) => detail)].join('\n'));
}

async function* first<T>(items: AsyncIterable<T>, most: number): AsyncGenerator<T> {
  let left = most;
  for await (const item of items) {
    yield item;
    if (--left === 0) return;
  }
}

export const count: Command = {
  name: 'count',
  summary: 'Counts events in total, or by group and time interval.',
  positionals: [streamsPositional],
  options: {
    ...filterOptions,
    by: {
      value: 'MEMBER',
      oneOf: ['stream', 'event_type', 'entity_id'],
      about: 'count each value of this member separately',
    },
    every: { value: 'SPAN', about: 'count each time interval separately: 5m, 1h, 1d' },
    calendar: { value: 'UNIT', about: 'count each local day, week, month, quarter or year of --zone' },
    zone: { value: 'ZONE', about: 'time zone of --calendar: Europe/Berlin, UTC, +05:30' },
    time: {
      value: 'TIME',
      oneOf: ['timestamp', 'ingested_at'],
      about: 'count by the time of the event, or of its ingestion; default: timestamp',
    },
    quantile: {
      ...{ value: 'P', multiple: true },
      about: 'estimate this quantile of --value: 0.5 is the median',
    },
    value: { value: 'CEL', about: 'number of each event for --quantile: event.data.amount' },
    ...waitOption,
  },
  effect: 'reads',
  async run(session, input) {
    const group_by = input.text('by') as EventCountQuery['group_by'];
    const interval = input.text('every');
    const calendar = input.text('calendar') as EventCountQuery['calendar'];
    const time = input.text('time') as EventCountQuery['time'];
    const intervals = { interval, calendar, zone: input.text('zone') };
    const quantiles = { quantile: input.texts('quantile')?.map(Number), value: input.text('value') };
    const spans = { ...intervals, time, wait_for: input.texts('wait-for') };
    const query = { ...filterOf(input), group_by, ...spans, ...quantiles };
    const { signal } = session;
    const { total, buckets, hints } = await (await session.client()).count(query, { signal });
    if (hints) reportHints(session, '0 events', hints);
    if (!group_by && !interval && !calendar)
      return session.output.one({ count: total, quantiles: buckets[0]?.quantiles });
    await session.output.list(buckets, countColumnsOf(query));
  },
};

function countColumnsOf(query: EventCountQuery): Column<EventCountBucket>[] {
  const { group_by, interval, calendar, quantile } = query;
  const group: Column<EventCountBucket> = { name: group_by ?? '', of: (bucket) => bucket.group };
  return [
    ...((interval ?? calendar) ? [{ name: 'start' }] : []),
    ...(group_by ? [group] : []),
    { name: 'count' },
    ...(quantile ? [{ name: 'quantiles' }] : []),
  ];
}

export const tail: Command = {
  name: 'tail',
  summary: 'Shows events as they arrive, until Ctrl-C.',
  positionals: [streamsPositional],
  options: {
    ...filterOptions,
    accepted: { about: 'show events as soon as they are accepted, before they can be queried' },
    limit: { value: 'N', least: 1, about: 'end after this number of events' },
    resume: {
      ...{ value: 'FILE', completes: 'file' },
      about: 'continue after the position in this file, and save the position there',
    },
  },
  details:
    'With --since it shows stored events first. With --resume an event may be shown again after a crash, and none is missed. With --accepted the version of an event is not known yet.',
  effect: 'reads',
  async run(session, input) {
    const name = input.text('resume');
    const file = name === undefined ? undefined : new PositionFile(name);
    const from = await file?.read();
    const client = await session.client();
    const onReconnect = (error: unknown, delayMs: number) =>
      session.report(`${messageOf(error)}\nNext attempt in ${(delayMs / 1000).toFixed(1)} s.`);
    const query = { ...filterOf(input), ...(input.flag('accepted') && { delivery: 'accepted' as const }) };
    const open = (signal: AbortSignal) => client.tail(query, { signal, from, onReconnect });
    const most = input.whole('limit') ?? Infinity;
    const events = follow({ open, signal: session.signal, file, most });
    await session.output.list(events, eventColumns, { live: true });
  },
};
