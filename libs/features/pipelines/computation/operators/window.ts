import { Calendar, calendarUnits, type CalendarUnit } from '#cel';
import type { EpochMicros } from '#json';
import {
  collectErrors,
  DefinitionError,
  type DefinitionProblem,
  DefinitionMemberReader,
  definitionError,
  type DurationBounds,
} from '#dataflow';
import { compileOperandKey, targetStream } from '../flow/operand.js';
import { calendarWindow } from '../windows/calendar-window.js';
import { fixedWindow } from '../windows/fixed-window.js';
import { sessionWindow } from '../windows/session-window.js';
import type { CommonWindowSettings } from '../windows/common-window-settings.js';
import type { OperatorImplementation, OperatorCompileContext } from './operator.js';
import { compileReduce } from './reduce.js';

interface WindowSpec {
  late?: { stream: string };
}

const shapes = ['tumbling', 'hopping', 'session', 'calendar'] as const;
const size: DurationBounds = { least: '1s', most: '366d' };
const lateness: DurationBounds = { least: '0s', most: '366d' };
/** Maximum number of hopping windows that one event may belong to. */
const mostHops = 100;

/**
 * `window`: groups events by key and event time. `lateness` is required, even `0s`: in Kafka Streams, a default grace
 * period surprised users (KIP-633).
 */
export const window: OperatorImplementation<WindowSpec> = {
  summary:
    '`{tumbling | hopping | session | calendar, zone?, key, lateness, emit?, late?}`; a `reduce` must follow.',
  followedBy: 'reduce',
  effects: ({ late }, at) =>
    late ? [{ kind: 'write', stream: late.stream, pointer: `${at}/late/stream` }] : [],
  compile(spec, { at, following }) {
    const errors: DefinitionProblem[] = [];
    const read = collectErrors(errors, () => readWindow(spec, at));
    const reduced = collectErrors(errors, () => reducedBy(following, at));
    if (!read || !reduced) throw new DefinitionError(errors);
    return {
      keyOf: read.keyOf,
      valuesOf: (flow) => reduced.settings.fold.valuesOf(flow),
      identity: [...read.identity, reduced.spec],
      keyed: (stage) => {
        const settings: CommonWindowSettings = { ...read.settings, ...reduced.settings, stage };
        const { shape } = read;
        if ('zone' in shape) return calendarWindow(settings, new Calendar(shape.unit, shape.zone));
        return 'gap' in shape ? sessionWindow(settings, shape.gap) : fixedWindow(settings, shape);
      },
    };
  },
};

function reducedBy(following: OperatorCompileContext['following'], at: string) {
  if (!following) throw definitionError(at, 'must be followed by a reduce');
  const { spec, at: reduceAt } = following;
  return { spec, settings: { fold: compileReduce(spec, reduceAt), reduceAt } };
}

function readWindow(spec: unknown, at: string) {
  const members = new DefinitionMemberReader(spec, at, [
    ...shapes,
    'zone',
    'key',
    'lateness',
    'emit',
    'late',
  ]);
  const given = shapes.filter((shape) => members.has(shape));
  if (given.length !== 1)
    throw definitionError(at, 'must have one of tumbling, hopping, session and calendar');
  if (members.has('zone') && !members.has('calendar'))
    throw definitionError(members.at('zone'), 'must not be there: only windows of a calendar have a zone');
  const keyOf = members.read('key', compileOperandKey);
  const wait = members.duration('lateness', lateness);
  const updates = members.has('emit') && members.oneOf('emit', ['final', 'updates']) === 'updates';
  const late = members.has('late') ? targetStream(members.object('late', ['stream'])) : undefined;
  const shape = shapeOf(members);
  const settings = { lateness: wait, updates, at, late };
  return { keyOf, shape, identity: [given[0], shape, members.any('key'), wait], settings };
}

type WindowShape =
  { gap: EpochMicros } | { size: EpochMicros; every: EpochMicros } | { unit: CalendarUnit; zone: string };

function shapeOf(members: DefinitionMemberReader): WindowShape {
  if (members.has('session')) return { gap: members.duration('session', size) };
  if (members.has('hopping')) return hoppingOf(members.object('hopping', ['size', 'every']));
  if (members.has('calendar')) return calendarOf(members);
  const tumbling = members.duration('tumbling', size);
  return { size: tumbling, every: tumbling };
}

function calendarOf(members: DefinitionMemberReader): { unit: CalendarUnit; zone: string } {
  const [unit, zone] = [members.oneOf('calendar', calendarUnits), members.text('zone', 64)];
  try {
    new Calendar(unit, zone);
  } catch (error) {
    if (error instanceof RangeError) throw definitionError(members.at('zone'), error.message);
    throw error;
  }
  return { unit, zone };
}

function hoppingOf(members: DefinitionMemberReader): { size: EpochMicros; every: EpochMicros } {
  const [length, every] = [members.duration('size', size), members.duration('every', size)];
  if (every > length)
    throw definitionError(
      members.at('every'),
      'must not be longer than size: otherwise an event between two windows would belong to none',
    );
  if (Math.ceil(length / every) > mostHops)
    throw definitionError(members.at('every'), `is too short: an event is in at most ${mostHops} windows`);
  return { size: length, every };
}
