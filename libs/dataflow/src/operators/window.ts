import type { Micros } from '#event';
import type { Fold } from '../folds/compile-fold.js';
import type { KeyedOperator } from '../pipelines/flow.js';
import { pipelineLimits } from '../pipelines/limits.js';
import { Members, refusal, type DurationBounds } from '../pipelines/members.js';
import { targetStream } from './emit.js';
import { fixedWindow, type WindowParts } from './fixed-window.js';
import { compileOperandKey } from './key.js';
import { sessionWindow } from './session-window.js';

const shapes = ['tumbling', 'hopping', 'session'] as const;
const size: DurationBounds = { least: '1s', most: '366d' };
const lateness: DurationBounds = { least: '0s', most: '366d' };

/** A window of a definition, without what it folds. */
export interface CompiledWindow {
  readonly keyOf: ReturnType<typeof compileOperandKey>;
  /** The stream of what is late. */
  readonly late: string | undefined;
  /** What makes its state another one. */
  readonly identity: readonly unknown[];
  operator(reduce: { stage: string; fold: Fold; reduceAt: string }): KeyedOperator;
}

/**
 * `window`: groups events by key and by their own time. `lateness` has to be said, also where it is `0s`: a wait that nobody
 * asked for is what users of Kafka Streams complained of (KIP-633).
 * @throws DefinitionError
 */
export function compileWindow(spec: unknown, at: string): CompiledWindow {
  const members = new Members(spec, at, [...shapes, 'key', 'lateness', 'emit', 'late']);
  const given = shapes.filter((shape) => members.has(shape));
  if (given.length !== 1) throw refusal(at, 'must have one of tumbling, hopping and session');
  const key = members.any('key');
  const keyOf = compileOperandKey(key, members.at('key'));
  const wait = members.duration('lateness', lateness);
  const updates = members.has('emit') && members.oneOf('emit', ['final', 'updates']) === 'updates';
  const late = members.has('late')
    ? targetStream(new Members(members.any('late'), members.at('late'), ['stream']))
    : undefined;
  const shape = shapeOf(members);

  return {
    keyOf,
    late,
    identity: [given[0], shape, key, wait],
    operator: ({ stage, fold, reduceAt }) => {
      const parts: WindowParts = { stage, fold, lateness: wait, updates, at, reduceAt, late };
      return 'gap' in shape ? sessionWindow(parts, shape.gap) : fixedWindow(parts, shape);
    },
  };
}

function shapeOf(members: Members): { gap: Micros } | { size: Micros; every: Micros } {
  if (members.has('session')) return { gap: members.duration('session', size) };
  if (members.has('hopping'))
    return hoppingOf(new Members(members.any('hopping'), members.at('hopping'), ['size', 'every']));
  const tumbling = members.duration('tumbling', size);
  return { size: tumbling, every: tumbling };
}

function hoppingOf(members: Members): { size: Micros; every: Micros } {
  const [length, every] = [members.duration('size', size), members.duration('every', size)];
  if (every > length)
    throw refusal(
      members.at('every'),
      'must not be longer than size: events between two windows would be in none',
    );
  if (Math.ceil(length / every) > pipelineLimits.hops)
    throw refusal(members.at('every'), `is too short: an event is in at most ${pipelineLimits.hops} windows`);
  return { size: length, every };
}
