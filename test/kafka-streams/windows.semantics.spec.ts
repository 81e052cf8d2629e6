import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SeededRandom, topicOf } from '#testkit';
import { freshStream } from '../api.js';
import { useStack } from '../use-stack.js';
import {
  closingMark,
  inputs,
  type ComparisonScenario,
  type ComparedWindowDefinition,
} from './comparison-scenarios.js';
import { KafkaStreamsProcess } from './kafka-streams.js';
import { allOf, hasProcessed, post, write } from './pipelines.js';
import { inOurTerms, lateOf, lines, type WindowResult } from './result.js';

const seed = Number(process.env.SEMANTICS_SEED ?? Math.floor(Math.random() * 2 ** 31));
const system = useStack({ processors: 2 });

/** One window over one input, computed by a pipeline. */
interface Case {
  id: number;
  pipeline: string;
  to: string;
  late: string;
  stream: string;
  input: ComparisonScenario;
  window: ComparedWindowDefinition;
}

const given = inputs(new SeededRandom(seed)).map((input) => ({ input, stream: freshStream() }));
const cases: Case[] = given
  .flatMap(({ input, stream }) => input.windows.map((window) => ({ input, stream, window })))
  .map((one, id) => ({
    ...{ ...one, id, pipeline: freshStream('p'), to: freshStream('to'), late: freshStream('late') },
  }));

let theirs: ReadonlyMap<number, WindowResult[]>;
let streams: KafkaStreamsProcess<WindowResult> | undefined;

beforeAll(async () => {
  process.stderr.write(`SEMANTICS_SEED=${seed}\n`);
  for (const { input, stream } of given) {
    await post(system().query, '/api/v1/streams', { stream, partitions: input.partitions });
    await write(system(), stream, input.events);
  }
  const topics = new Map<string, string>();
  for (const { stream } of given) topics.set(stream, await topicOf(system(), stream));
  streams = await KafkaStreamsProcess.start({
    ...{ brokers: system().brokers, application: `${system().prefix}kafka-streams` },
    inputs: given.map(({ input, stream }) => ({
      ...{ topic: topics.get(stream)!, key: input.key },
      ...{ events: input.events.length, end: input.events.length + input.closing.length },
      windows: cases
        .filter((one) => one.stream === stream)
        .map(({ id, window }) => ({ ...window, id, lateness: input.grace(window.lateness) })),
    })),
    joins: [],
  });
  for (const one of cases) await define(one);
  // The closing events are written last: a reader of one partition's closing event would treat unread events of
  // others as late.
  await streams.hasRead();
  for (const { input, stream } of given) await write(system(), stream, input.closing);
  theirs = await streams.end();
});

afterAll(() => streams?.stop());

describe.each(given)('$input.what', ({ stream, input }) => {
  it.each(cases.filter((one) => one.stream === stream))(
    '$window.kind of $window.size s every $window.every s, $window.lateness s late, updates: $window.updates',
    async (one) => {
      const { results, saidTwice } = inOurTerms(theirs.get(one.id) ?? [], one.window);
      const expected = results.filter(({ key }) => !key.startsWith(closingMark));
      const late = lateOf(expected, input.events.length);
      await isThrough(one);
      expect(lines(await said(one))).toEqual(lines(expected));
      expect(await lateEvents(one)).toEqual(late);
      expect(expected.length).toBeGreaterThan(20);
      expect(late.length > 0).toBe(input.tooLate);
      const { kind, updates } = one.window;
      process.stderr.write(
        `${kind}${updates ? ', updates' : ''}: ${expected.length} results, ${late.length} late, ${saidTwice} said twice\n`,
      );
    },
  );
});

function define({ pipeline, stream, to, late, input, window }: Case): Promise<void> {
  const { kind, size, every, lateness, updates } = window;
  const shape = kind === 'hopping' ? { size: `${size}s`, every: `${every}s` } : `${size}s`;
  const key = input.key === 'entity_id' ? 'event.entity_id' : `event.data.${input.key}`;
  const value = 'event.data.amount';
  const fields = {
    ...{ sum: { op: 'sum', value }, least: { op: 'min', value }, most: { op: 'max', value } },
    events: { op: 'collect', value: 'event.data.n' },
  };
  const more = { lateness: `${lateness}s`, late: { stream: late }, ...(updates && { emit: 'updates' }) };
  return post(system().query, '/api/v1/pipelines', {
    name: pipeline,
    source: { streams: [stream], idle_after: '1s' },
    operators: [{ window: { [kind]: shape, key, ...more } }, { reduce: fields }, { emit: { stream: to } }],
  });
}

function isThrough({ pipeline, to, late, input }: Case): Promise<void> {
  return hasProcessed(system(), {
    ...{ pipeline, outputs: [to, late] },
    ...{ count: input.events.length + input.closing.length, closed: input.closing[0]?.at ?? 0 },
  });
}

/** Returns the results of the pipeline, without the results for the keys of events that were only written to close the windows. */
async function said({ to }: Case): Promise<WindowResult[]> {
  const results = (await allOf(system(), to)).map(({ data }) => {
    const { key, window_start, window_end, ...rest } = data as Record<string, string>;
    const times = { start: Date.parse(window_start!), end: Date.parse(window_end!) };
    return { key, ...times, ...rest } as unknown as WindowResult;
  });
  return results.filter(({ key }) => !key.startsWith(closingMark));
}

async function lateEvents({ late }: Case): Promise<number[]> {
  const numbers = (await allOf(system(), late)).map(({ data }) => data['n'] as number);
  return numbers.sort((a, b) => a - b);
}
