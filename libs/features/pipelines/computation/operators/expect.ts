import { encodeRecord, limits } from '#event';
import { kinds } from '#cel';
import type { EpochMicros } from '#json';
import { plainTextPattern, plainTextRule } from '#api';
import { DefinitionMemberReader, definitionError, type DurationBounds } from '#dataflow';
import { compileOperand, compileOperandKey, targetStream } from '../flow/operand.js';
import { eventFromRecord, readableEvent, type LazilyParsedEvent } from '../flow/lazily-parsed-event.js';
import type {
  KeyedOperator,
  OperatorOutcome,
  PipelineEvent,
  Provenance,
  StateEntry,
} from '../flow/pipeline.js';
import { OperatorError } from '../flow/step.js';
import type { OperatorImplementation } from './operator.js';

interface ExpectSpec {
  late?: { stream: string };
}

const within: DurationBounds = { least: '1s', most: '366d' };
const lateness: DurationBounds = { least: '0s', most: '366d' };

/** Maximum size of the state of a key: the characters of its events as JSON, plus 100 for each event and interval. */
const waitingCharacters = 1024 * 1024;
const frame = 100;

/** A first event whose expected event has not come yet, as the value of a record, with its provenance. */
type WaitingEvent = {
  readonly time: EpochMicros;
  readonly record: string;
  readonly origin: readonly [stream: string, partition: number, offset: number, path: string, replay: number];
};

/** A range of event time, both ends included. */
type Interval = readonly [from: EpochMicros, to: EpochMicros];

/** State of `expect` for one key. */
type ExpectState = {
  /** The waiting events, sorted by time. */
  readonly waiting: readonly WaitingEvent[];
  /** Times of first events whose expected event has come: sorted, with gaps between them. */
  readonly satisfied: readonly Interval[];
};

/**
 * `expect`: passes on an event that `after` selects, with the type of `as`, if no event with the same key that `event`
 * selects has a time from that of the first event to `within` later. Time is event time, and the order of arrival does
 * not matter: the expected event may arrive before the first one. It is decided when the watermark has passed that time
 * and `lateness`. As for a window, an event does not count any more for times that its own partition had passed.
 *
 * An event that both select is expected by earlier events only, so `after` and `event` may be equal (a heartbeat).
 */
export const expect: OperatorImplementation<ExpectSpec> = {
  summary:
    '`{after, event, key, within, as, lateness?, late?}`, passes an event that `after` selects, with the type `as`, ' +
    'if no event that `event` selects follows in time.',
  isMultiple: true,
  effects: ({ late }, at) =>
    late ? [{ kind: 'write', stream: late.stream, pointer: `${at}/late/stream` }] : [],
  compile(spec, { at }) {
    const members = new DefinitionMemberReader(spec, at, [
      ...['after', 'event', 'key', 'within', 'as', 'lateness', 'late'],
    ]);
    const condition = (text: unknown, pointer: string) => compileOperand(text, pointer, kinds.boolean);
    const selection = {
      after: members.read('after', condition),
      event: members.read('event', condition),
    };
    const keyOf = members.read('key', compileOperandKey);
    const settings = {
      at,
      selection,
      within: members.duration('within', within),
      lateness: members.has('lateness') ? members.duration('lateness', lateness) : 0,
      type: members.read('as', () => typeOf(members)),
      late: members.has('late') ? targetStream(members.object('late', ['stream'])) : undefined,
    };
    return {
      keyOf: (flow) => {
        const { after, event } = selectedBy(selection, flow);
        return after || event ? keyOf(flow) : null;
      },
      withoutKey: 'Neither `after` nor `event` selects it, or its key is null.',
      identity: [
        ...['expect', members.any('after'), members.any('event'), members.any('key')],
        ...[settings.within, settings.lateness, settings.type],
      ],
      keyed: (stage) => expectOperator({ ...settings, stage }),
    };
  },
};

type Selection = Readonly<Record<'after' | 'event', (flow: LazilyParsedEvent) => unknown>>;

interface ExpectSettings {
  readonly at: string;
  readonly stage: string;
  readonly selection: Selection;
  readonly within: EpochMicros;
  readonly lateness: EpochMicros;
  readonly type: string;
  readonly late: string | undefined;
}

function typeOf(members: DefinitionMemberReader): string {
  const type = members.text('as', limits.eventTypeCharacters);
  if (plainTextPattern.test(type)) return type;
  throw definitionError(members.at('as'), plainTextRule);
}

function expectOperator(settings: ExpectSettings): KeyedOperator<ExpectState> {
  const { at, late } = settings;
  /** Microseconds from the time of a first event to the watermark at which it is decided. */
  const wait = settings.within + settings.lateness + 1;

  /** Returns the entry of a state; undefined if it is empty. */
  const rowOf = ({ waiting, satisfied }: ExpectState): StateEntry<ExpectState> | undefined => {
    const earliest = Math.min(waiting[0]?.time ?? Infinity, satisfied[0]?.[1] ?? Infinity);
    return earliest === Infinity ? undefined : { state: { waiting, satisfied }, closesAt: earliest + wait };
  };
  const ended = (outcome: OperatorOutcome, state?: ExpectState) => ({
    row: state && rowOf(state),
    results: [],
    outcome,
  });

  return {
    delay: wait,

    rowsOf: (key) => [key],

    add(row, _name, arrival) {
      const { watermark } = arrival;
      const flow = readableEvent(arrival.flow);
      const { timestamp: time } = flow.event;
      const selected = selectedIn(settings, flow);
      if ('kind' in selected) return ended(selected);
      const before = row?.state ?? { waiting: [], satisfied: [] };
      const from = Math.max(time - settings.within, watermark - wait + 1);
      const came = selected.event ? withExpected(before, [from, selected.after ? time - 1 : time]) : before;
      const isLate = time + wait <= watermark;
      const isSatisfied = before.satisfied.some((one) => one[0] <= time && time <= one[1]);
      const state = selected.after && !isLate && !isSatisfied ? withWaiting(came, flow) : came;
      const size = sizeOf(state);
      if (size > waitingCharacters && size > sizeOf(before) && row) {
        const detail =
          `What a key waits for has at most ${waitingCharacters} characters of JSON, and this event would bring it to ` +
          `${size}. Replay it after some has been decided, or use a key that selects fewer events.`;
        return ended({ kind: 'fail', at, pointer: at, detail, flow });
      }
      if (isLate) return ended({ kind: 'late', at, stream: late, flow }, state);
      if (!selected.after)
        return ended({ kind: 'drop', at, reason: 'Expected events end here.', flow }, state);
      return { row: rowOf(state), results: [] };
    },

    close({ state }, _name, watermark) {
      const isDue = (time: EpochMicros) => time + wait <= watermark;
      const due = state.waiting.filter(({ time }) => isDue(time));
      return {
        row: rowOf({
          waiting: state.waiting.slice(due.length),
          satisfied: state.satisfied.filter(([, to]) => !isDue(to)),
        }),
        results: due.map((waiting) => missing(waiting, settings)),
      };
    },
  };
}

/**
 * Returns which conditions select the event. As for `||` in CEL, an error of one does not count if the other selects the
 * event: they are often written for events of different types. @throws OperatorError
 */
function selectedBy({ after, event }: Selection, flow: LazilyParsedEvent): Record<keyof Selection, boolean> {
  const results = [after, event].map((condition) => valueOrError(condition, flow));
  const error = results.find((result) => result instanceof OperatorError);
  if (error && !results.includes(true)) throw error;
  return { after: results[0] === true, event: results[1] === true };
}

function valueOrError(condition: Selection['after'], flow: LazilyParsedEvent): unknown {
  try {
    return condition(flow);
  } catch (error) {
    if (error instanceof OperatorError) return error;
    throw error;
  }
}

/** Like `selectedBy`, with a fail outcome instead of an error: the step budget may end here. */
function selectedIn({ at, selection }: ExpectSettings, flow: LazilyParsedEvent) {
  try {
    return selectedBy(selection, flow);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return { kind: 'fail', at, pointer: error.pointer, detail: error.message, flow } as const;
  }
}

/** Returns the state after an expected event, which has come in time for first events of these times. */
function withExpected(state: ExpectState, [from, to]: Interval): ExpectState {
  if (from > to) return state;
  const touches = (one: Interval) => one[0] <= to + 1 && one[1] >= from - 1;
  const touching = state.satisfied.filter(touches);
  const joined: Interval = [
    Math.min(from, ...touching.map((one) => one[0])),
    Math.max(to, ...touching.map((one) => one[1])),
  ];
  const others = state.satisfied.filter((one) => !touches(one));
  return {
    waiting: state.waiting.filter(({ time }) => time < from || time > to),
    satisfied: [...others, joined].sort((a, b) => a[0] - b[0]),
  };
}

function withWaiting({ waiting, satisfied }: ExpectState, { event, origin }: PipelineEvent): ExpectState {
  const { stream, partition, offset, path, replay = 0 } = origin;
  const added: WaitingEvent = {
    time: event.timestamp,
    record: encodeRecord(event),
    origin: [stream, partition, offset, path, replay],
  };
  const index = waiting.findLastIndex(({ time }) => time <= added.time) + 1;
  return { waiting: waiting.toSpliced(index, 0, added), satisfied };
}

function sizeOf({ waiting, satisfied }: ExpectState): number {
  const frames = frame * (waiting.length + satisfied.length);
  return waiting.reduce((sum, { record }) => sum + record.length, frames);
}

/** Returns a first event whose expected event has not come, as the stage passes it on. */
function missing(
  { record, origin: [stream, partition, offset, path, replay] }: WaitingEvent,
  { stage, type }: ExpectSettings,
): PipelineEvent {
  const origin: Provenance = {
    ...{ stream, partition, offset, path, expected: stage },
    ...(replay > 0 && { replay }),
  };
  return readableEvent(eventFromRecord(record, origin)).with({ event_type: type });
}
