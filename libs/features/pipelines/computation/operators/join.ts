import { encodeRecord } from '#event';
import { memberValue } from '#cel';
import { formatTime, type EpochMicros } from '#json';
import {
  DefinitionError,
  DefinitionMemberReader,
  definitionError,
  type DefinitionProblem,
  type DurationBounds,
} from '#dataflow';
import { derivedEventLimits } from '../flow/event-outcome-collector.js';
import { eventFromRecord, LazilyParsedEvent, readableEvent } from '../flow/lazily-parsed-event.js';
import { pipelineLimits } from '../flow/limits.js';
import { compileOperandKey, targetStream } from '../flow/operand.js';
import type {
  KeyedOperator,
  OperatorOutcome,
  PipelineEvent,
  Provenance,
  StateEntry,
} from '../flow/pipeline.js';
import { metadataWith, withMember } from '../flow/result-text.js';
import { rightSideOf } from '../flow/right-side.js';
import { compileSelection, selectionMembers } from '../flow/stream-selection.js';
import type { OperatorImplementation } from './operator.js';

interface JoinSpec {
  with: { streams: readonly string[] };
  late?: { stream: string };
}

const within: DurationBounds = { least: '0s', most: '366d' };

/** Maximum size of the state of a key: the characters of its events as JSON, plus 100 for each event. */
const waitingCharacters = 1024 * 1024;
const frame = 100;

const kinds = ['inner', 'left', 'outer'] as const;
const sides = ['left', 'right'] as const;
type Side = (typeof sides)[number];

/** An event of one side that waits for events of the other, as the value of a record, with its provenance. */
type WaitingEvent = {
  readonly time: EpochMicros;
  /** The watermark at its arrival: it does not join what was over then. */
  readonly watermark: EpochMicros;
  readonly hasJoined: boolean;
  readonly record: string;
  readonly origin: readonly [
    ...[stream: string, partition: number, offset: number, path: string, replay: number],
    expected: string | null,
  ];
};

/** State of a `join` for one key: the waiting events of each side, sorted by time. */
type JoinState = Readonly<Record<Side, readonly WaitingEvent[]>>;

/**
 * `join`: an interval join in event time. An event of the left side (the operators before the join) and one of the right
 * side (the streams in `with`) with equal keys join if the time of the right one is at most `before` earlier and at most
 * `after` later than that of the left one. The order of arrival does not matter. An event is decided when the watermark has
 * passed the last time of an event that it can join, and `lateness`; then an event of a side that `kind` keeps passes on,
 * if it has joined none. An event does not join one that was decided before it: as for a window, the watermark of its own
 * partition counts, so that a reading at another speed gives the same pairs. It is late if all were decided.
 *
 * The result of a pair has the greater of both times, as in Kafka Streams and Flink.
 */
export const join: OperatorImplementation<JoinSpec> = {
  summary:
    '`{with, left, right, within, as, kind?, lateness?, late?}`, joins each event with those of the streams in `with` ' +
    'that have the same key and a time near its own.',
  isMultiple: true,
  effects: ({ with: { streams }, late }, at) => [
    ...streams.map((stream, i) => ({ kind: 'read' as const, stream, pointer: `${at}/with/streams/${i}` })),
    ...(late ? [{ kind: 'write' as const, stream: late.stream, pointer: `${at}/late/stream` }] : []),
  ],
  compile(spec, { at }) {
    const members = new DefinitionMemberReader(spec, at, [
      ...['with', 'left', 'right', 'within', 'as', 'kind', 'lateness', 'late'],
    ]);
    const errors: DefinitionProblem[] = [];
    const selection = compileSelection(members.object('with', selectionMembers), errors);
    if (errors.length > 0) throw new DefinitionError(errors);
    const interval = members.object('within', ['before', 'after']);
    if (!interval.has('before') && !interval.has('after'))
      throw definitionError(members.at('within'), 'must have before or after, or both');
    const lengthOf = (of: DefinitionMemberReader, name: string) =>
      of.has(name) ? of.duration(name, within) : 0;
    const settings = {
      at,
      before: lengthOf(interval, 'before'),
      after: lengthOf(interval, 'after'),
      lateness: lengthOf(members, 'lateness'),
      kind: members.has('kind') ? members.oneOf('kind', kinds) : 'inner',
      as: members.text('as', pipelineLimits.nameCharacters),
      late: members.has('late') ? targetStream(members.object('late', ['stream'])) : undefined,
    };
    return {
      keyOf: members.read('left', compileOperandKey),
      right: { ...selection, keyOf: members.read('right', compileOperandKey) },
      identity: [
        ...['join', members.any('left'), members.any('right')],
        ...[settings.before, settings.after, settings.lateness, settings.kind],
      ],
      keyed: (stage) => joinOperator({ ...settings, stage }),
    };
  },
};

interface JoinSettings {
  readonly stage: string;
  readonly at: string;
  readonly before: EpochMicros;
  readonly after: EpochMicros;
  readonly lateness: EpochMicros;
  readonly kind: (typeof kinds)[number];
  readonly as: string;
  readonly late: string | undefined;
}

function joinOperator(settings: JoinSettings): KeyedOperator<JoinState> {
  const { late, kind, before, after, lateness } = settings;
  const keeps = { left: kind !== 'inner', right: kind === 'outer' };
  /**
   * Microseconds from the time of an event to the watermark at which it is decided. An event that passes on if nothing
   * joins it is decided as soon as possible; one that does not waits for the whole interval, for others that are out of
   * order in their partition.
   */
  const wait = {
    left: (keeps.left ? after : before + after) + lateness + 1,
    right: (keeps.right ? before : before + after) + lateness + 1,
  };
  /** Microseconds from the time of an event to the watermark from which on every event that could join it is decided. */
  const lateFrom = { left: after + wait.right, right: before + wait.left };

  const rowOf = (state: JoinState): StateEntry<JoinState> | undefined => {
    const dueOf = (side: Side) => (state[side][0]?.time ?? Infinity) + wait[side];
    const closesAt = Math.min(dueOf('left'), dueOf('right'));
    return closesAt === Infinity ? undefined : { state, closesAt };
  };
  const alone = (event: LazilyParsedEvent, side: Side) =>
    side === 'left' ? leftAlone(event, settings) : rightAlone(event, settings);

  return {
    delay: Math.max(lateFrom.left, lateFrom.right),

    rowsOf: (key) => [key],

    add(row, _name, arrival) {
      const { watermark, stageWatermark = watermark, isErased } = arrival;
      const side: Side = arrival.side ?? 'left';
      const at = side === 'right' ? rightSideOf(settings.at) : settings.at;
      const other: Side = side === 'left' ? 'right' : 'left';
      const flow = readableEvent(arrival.flow);
      const { timestamp: time } = flow.event;
      const ended = (outcome: OperatorOutcome) => ({ results: [], outcome });
      if (time + lateFrom[side] <= watermark) return ended({ kind: 'late', at, stream: late, flow });
      const due = time + wait[side];
      const state = row?.state ?? { left: [], right: [] };
      const [from, to] = side === 'left' ? [time - before, time + after] : [time - after, time + before];
      const joins = (one: WaitingEvent) =>
        from <= one.time && one.time <= to && watermark < one.time + wait[other] && one.watermark < due;
      const partners = state[other].filter(joins);
      const size = resultsSize(flow, partners);
      if (partners.length > derivedEventLimits.events || size > derivedEventLimits.characters)
        return ended({ kind: 'fail', at, pointer: at, detail: tooMany(partners.length, size), flow });
      const events = new Map(partners.filter(isKept).map((one) => [one, eventOf(one)]));
      const isGone = isErased?.(flow) === true;
      const valid = new Set(
        isGone ? [] : partners.filter((one) => isKept(one) && !isErased?.(events.get(one)!)),
      );
      const hasJoined = valid.size > 0;
      const pairs = partners.map((one) => {
        const partner = events.get(one);
        return partner && (side === 'left' ? pair(flow, partner, settings) : pair(partner, flow, settings));
      });
      const isDecided = due <= stageWatermark;
      const results = [...pairs, isDecided && !hasJoined && keeps[side] ? alone(flow, side) : undefined];
      const next: Record<Side, readonly WaitingEvent[]> = { ...state };
      if (!isDecided) {
        const waiting = waitingEvent(flow, { watermark, hasJoined });
        next[side] = withEvent(state[side], isGone ? withoutContent(waiting) : waiting);
      }
      next[other] = state[other].map((one) =>
        valid.has(one) && !one.hasJoined ? { ...one, hasJoined: true } : one,
      );
      const detail = tooLarge(next);
      if (detail !== undefined) return ended({ kind: 'fail', at, pointer: at, detail, flow });
      return { row: rowOf(next), results };
    },

    close({ state }, _name, watermark) {
      const isDue = (one: WaitingEvent, side: Side) => one.time + wait[side] <= watermark;
      const results = sides.flatMap((side) =>
        state[side]
          .filter((one) => keeps[side] && isDue(one, side))
          // Whether an event has joined depends on erasures, the positions of the results must not.
          .map((one) => (one.hasJoined ? undefined : alone(eventOf(one), side))),
      );
      const rest = (side: Side) => state[side].filter((one) => !isDue(one, side));
      return { row: rowOf({ left: rest('left'), right: rest('right') }), results };
    },
  };
}

function waitingEvent(
  { event, origin }: PipelineEvent,
  more: Pick<WaitingEvent, 'watermark' | 'hasJoined'>,
): WaitingEvent {
  const { stream, partition, offset, path, replay = 0, expected = null } = origin;
  const record = encodeRecord(event);
  // V8 keeps a text as one piece after its bytes are counted, which takes half of the memory of the pieces.
  Buffer.byteLength(record);
  return {
    time: event.timestamp,
    ...more,
    record,
    origin: [stream, partition, offset, path, replay, expected],
  };
}

/** Returns what is kept of an erased event: its positions among the results of others, which must not change. */
function withoutContent(one: WaitingEvent): WaitingEvent {
  return { ...one, hasJoined: true, record: '' };
}

function isKept({ record }: WaitingEvent): boolean {
  return record !== '';
}

function eventOf({ record, origin }: WaitingEvent): LazilyParsedEvent {
  const [stream, partition, offset, path, replay, expected] = origin;
  return readableEvent(
    eventFromRecord(record, {
      ...{ stream, partition, offset, path },
      ...(replay > 0 && { replay }),
      ...(expected !== null && { expected }),
    }),
  );
}

function withEvent(events: readonly WaitingEvent[], added: WaitingEvent): readonly WaitingEvent[] {
  const index = events.findLastIndex(({ time }) => time <= added.time) + 1;
  return events.toSpliced(index, 0, added);
}

/** Returns why the state of a key cannot grow to this size; undefined if it can. Two events always have room. */
function tooLarge({ left, right }: JoinState): string | undefined {
  const size = sizeOf(left) + sizeOf(right);
  if (size <= waitingCharacters || left.length + right.length <= 2) return undefined;
  return (
    `The events of a key that wait in a join have at most ${waitingCharacters} characters of JSON, and this event would ` +
    `bring them to ${size}. Use a key that fewer events have, or a shorter interval.`
  );
}

/** Returns the characters of all pairs of an event. */
function resultsSize(
  { event: { data, metadata } }: PipelineEvent,
  partners: readonly WaitingEvent[],
): number {
  return sizeOf(partners) + partners.length * (data.length + metadata.length);
}

function tooMany(partners: number, size: number): string {
  return (
    `The event would join ${partners} events with ${size} characters together; at most ${derivedEventLimits.events} and ` +
    `${derivedEventLimits.characters} are possible. Use a key that fewer events have, or a shorter interval.`
  );
}

function sizeOf(events: readonly WaitingEvent[]): number {
  return events.reduce((sum, { record }) => sum + record.length + frame, 0);
}

/** Returns the result of a pair: the left event with the data of the right one as a member of its data. */
function pair(left: LazilyParsedEvent, right: LazilyParsedEvent, { as, stage }: JoinSettings): PipelineEvent {
  const { stream, partition, offset } = right.origin;
  const origin = originWith(left.origin, `${stage}:${stream}/${partition}/${offset}`);
  const event = {
    ...left.event,
    timestamp: Math.max(left.event.timestamp, right.event.timestamp),
    schema_version: null,
    data: withData(left, as, right.event.data),
    metadata: joinedMetadata(left, right),
  };
  return new LazilyParsedEvent(event, origin, right);
}

/** Returns the result for a left event that joins none: the event with null as the member of its data. */
function leftAlone(left: LazilyParsedEvent, { as }: JoinSettings): PipelineEvent {
  return left.with({ schema_version: null, data: withData(left, as, 'null') });
}

/** Returns the result for a right event that joins none: the event with its data as the only member of its data. */
function rightAlone(right: LazilyParsedEvent, { as, stage }: JoinSettings): PipelineEvent {
  const { event, origin } = right;
  return new LazilyParsedEvent(
    {
      ...event,
      schema_version: null,
      data: `{${JSON.stringify(as)}:${event.data}}`,
      metadata: joinedMetadata(right, right),
    },
    originWith(origin, `${stage}:right`),
  );
}

function originWith(origin: Provenance, more: string): Provenance {
  return { ...origin, path: origin.path === '' ? more : `${origin.path}/${more}` };
}

function withData(flow: LazilyParsedEvent, as: string, memberText: string): string {
  const { data: text } = flow.event;
  return withMember({ text, value: () => memberValue(flow.value, 'data') }, as, memberText);
}

const own = /"joined_/;

/** Returns the metadata of a result: those of the event, with the members that name its right event. */
function joinedMetadata({ event: { metadata } }: PipelineEvent, { event }: PipelineEvent): string {
  const joined = {
    joined_stream: event.stream,
    joined_event_id: event.event_id,
    joined_event_type: event.event_type,
    joined_timestamp: formatTime(event.timestamp),
  };
  return metadataWith(metadata, JSON.stringify(joined).slice(1, -1), own);
}
