import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SeededRandom, topicOf, until } from '#testkit';
import { freshStream } from '../api.js';
import { useStack } from '../use-stack.js';
import { closingMark } from './comparison-scenarios.js';
import {
  joinInputs,
  type ComparedJoinDefinition,
  type JoinedInput,
  type JoinScenario,
} from './join-scenarios.js';
import { KafkaStreamsProcess } from './kafka-streams.js';
import { allOf, hasProcessed, post, write } from './pipelines.js';
import { joinLines, joinsInOurTerms, type JoinResult } from './result.js';

const seed = Number(process.env.SEMANTICS_SEED ?? Math.floor(Math.random() * 2 ** 31));
const system = useStack({ processors: 2 });

interface WrittenInput extends JoinedInput {
  stream: string;
  key: string;
}

interface GivenScenario {
  scenario: JoinScenario;
  left: WrittenInput;
  right: WrittenInput;
}

/** One join of two inputs, computed by a pipeline. */
interface Case extends GivenScenario {
  id: number;
  pipeline: string;
  to: string;
  late: string;
  join: ComparedJoinDefinition;
}

const given = joinInputs(new SeededRandom(seed)).map((scenario): GivenScenario => {
  const { key } = scenario;
  const left = { ...scenario.left, key, stream: freshStream('left') };
  return {
    scenario,
    left,
    right: scenario.right ? { ...scenario.right, key, stream: freshStream('right') } : left,
  };
});
const written = given.flatMap(({ left, right }) => (left === right ? [left] : [left, right]));
const cases: Case[] = given
  .flatMap((one) => one.scenario.joins.map((join) => ({ ...one, join })))
  .map((one, id) => ({
    ...{ ...one, id, pipeline: freshStream('p'), to: freshStream('to'), late: freshStream('late') },
  }));

let theirs: ReadonlyMap<number, JoinResult[]>;
let streams: KafkaStreamsProcess<JoinResult> | undefined;

beforeAll(async () => {
  process.stderr.write(`SEMANTICS_SEED=${seed}\n`);
  for (const { stream, partitions, events } of written) {
    await post(system().query, '/api/v1/streams', { stream, partitions });
    await write(system(), stream, events);
  }
  const topics = new Map<string, string>();
  for (const { stream } of written) topics.set(stream, await topicOf(system(), stream));
  streams = await KafkaStreamsProcess.start<JoinResult>({
    ...{ brokers: system().brokers, application: `${system().prefix}kafka-streams-joins` },
    inputs: written.map(({ stream, key, events, closing }) => ({
      ...{ topic: topics.get(stream)!, key, windows: [] },
      ...{ events: events.length, end: events.length + closing.length },
    })),
    joins: cases.map(({ id, scenario, left, right, join }) => ({
      ...{ ...join, id, split: scenario.split, lateness: scenario.grace(join.lateness) },
      ...{ left: written.indexOf(left), right: written.indexOf(right) },
    })),
  });
  for (const one of cases) await define(one);
  await killInTheMiddle();
  // As for windows, the closing events are written last.
  await streams.hasRead();
  for (const { stream, closing } of written) await write(system(), stream, closing);
  theirs = await streams.end();
});

afterAll(() => streams?.stop());

describe.each(given)('$scenario.what', ({ scenario }) => {
  it.each(cases.filter((one) => one.scenario === scenario))(
    '$join.kind, $join.before s before to $join.after s after, $join.lateness s late',
    async (one) => {
      const { results, joinedLater } = joinsInOurTerms(theirs.get(one.id) ?? []);
      const expected = results.filter(({ key }) => !key.startsWith(closingMark));
      await isThrough(one);
      expect(joinLines(await said(one))).toEqual(joinLines(expected));
      expect(await allOf(system(), one.late)).toEqual([]);
      const { kind, before, after } = one.join;
      const pairs = expected.filter(({ left, right }) => left !== null && right !== null);
      const atBounds = pairs.filter((pair) => isAtBound(pair, one));
      expect(atBounds.length).toBeGreaterThan(0);
      const alone = expected.length - pairs.length;
      // With itself, each event joins at least itself.
      expect(alone > 0).toBe(kind !== 'inner' && (one.left !== one.right || scenario.split));
      process.stderr.write(
        `${kind} -${before} s +${after} s: ${pairs.length} pairs, ${atBounds.length} of them at the bounds, ` +
          `${alone} alone, ${joinedLater} said too early\n`,
      );
    },
  );
});

function define({ pipeline, left, right, to, late, scenario, join }: Case): Promise<void> {
  const { kind, before, after, lateness } = join;
  const key = scenario.key === 'entity_id' ? 'event.entity_id' : `event.data.${scenario.key}`;
  const within = { before: `${before}s`, after: `${after}s` };
  const more = { kind, lateness: `${lateness}s`, late: { stream: late }, as: 'right' };
  const only = (is: string) => scenario.split && { where: `event.data.amount ${is} 0` };
  return post(system().query, '/api/v1/pipelines', {
    name: pipeline,
    source: { streams: [left.stream], ...only('>='), idle_after: '1s' },
    operators: [
      { join: { with: { streams: [right.stream], ...only('<') }, left: key, right: key, within, ...more } },
      { emit: { stream: to } },
    ],
  });
}

/** Kills a processor when the pipelines have processed some events, and starts it again. */
async function killInTheMiddle(): Promise<void> {
  const all = cases.reduce((sum, one) => sum + countOf(one, 'events'), 0);
  const processed = async () => {
    const answer = await system().query.get('/api/v1/pipelines?limit=200');
    const { pipelines } = answer.json<{ pipelines: { name: string; processed: number }[] }>();
    return pipelines.reduce((sum, one) => sum + one.processed, 0);
  };
  let at = 0;
  await until(async () => (at = await processed()) > 0, {
    ...{ what: 'the pipelines process events', progress: () => at, intervalMs: 20 },
  });
  await system().processors[0]!.restart('SIGKILL');
  process.stderr.write(`killed a processor after ${at} of ${all} events\n`);
}

/** The number of events that a pipeline processes. */
function countOf({ left, right }: GivenScenario, of: 'events' | 'closing'): number {
  return left[of].length + (left === right ? 0 : right[of].length);
}

function isThrough(one: Case): Promise<void> {
  const { pipeline, to, late, left } = one;
  return hasProcessed(system(), {
    ...{ pipeline, outputs: [to, late], closed: left.closing[0]!.at },
    count: countOf(one, 'events') + countOf(one, 'closing'),
  });
}

/** Returns the results of the pipeline, without the closing events. */
async function said({ to, scenario }: Case): Promise<JoinResult[]> {
  const results = (await allOf(system(), to)).map(({ data, entity_id, timestamp }) => {
    const { right, ...left } = data as {
      n?: number;
      shop?: string;
      right: { n: number; shop: string } | null;
    };
    const key = scenario.key === 'entity_id' ? entity_id! : (left.shop ?? right!.shop);
    return { key, left: left.n ?? null, right: right?.n ?? null, at: Date.parse(timestamp) };
  });
  return results.filter(({ key }) => !key.startsWith(closingMark));
}

function isAtBound(pair: JoinResult, { left, right, join: { before, after } }: Case): boolean {
  const difference = right.events[pair.right!]!.at - left.events[pair.left!]!.at;
  return difference === -before || difference === after;
}
