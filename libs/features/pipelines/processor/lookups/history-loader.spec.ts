import { beforeEach, expect, it, vi } from 'vitest';
import { compileFold, StateHistory } from '#dataflow';
import { TopicAndGroupNames } from '#event';
import type { ProjectionDefinition } from '#features/projections/definition';
import type { Definitions } from '#registry';
import { historyStage } from '#store';
import { MemoryStore } from '#store/memory';
import { partitionProgress, stateRow } from '../../../../core/store/keyed-states.fixture.js';
import { HistoryLoader } from './history-loader.js';
import type { LoadedProjectionStates } from './load-lookups.js';

const topics = new TopicAndGroupNames('test.');
let id: string;
const fields = { n: { op: 'count' } };
const fold = compileFold(fields);

let store: MemoryStore;
let definition: Partial<ProjectionDefinition> | undefined;
let requests: string[];
let warnings: unknown[];
let waits: number;
let streamId: string;

const serving = (history?: string) =>
  ({
    id,
    spec: { source: { streams: ['orders'] }, fields, history },
    sources: { orders: { id: 'orders#1' } },
  }) as unknown as NonNullable<ProjectionDefinition['serving']>;

beforeEach(() => {
  store = new MemoryStore();
  id = 'b'.repeat(24);
  definition = { serving: serving('1h'), building: null, paused: false };
  [requests, warnings, waits, streamId] = [[], [], 0, 'orders#1'];
});

function loader(): HistoryLoader {
  const definitions = {
    projections: { get: () => definition },
    stream: () => ({ stream: 'orders', id: streamId, state: 'live', partitions: 2 }),
  } as unknown as Pick<Definitions, 'projections' | 'stream'>;
  return new HistoryLoader({
    ...{ definitions, topics, store: store.projections, pollMs: 1 },
    producer: {
      append: (records) => {
        requests.push(...records.map(({ value }) => String(value)));
        return Promise.resolve([]);
      },
    },
    logger: { warn: (...args: unknown[]) => void warnings.push(args) },
    waiting: () => waits++,
  });
}

async function saveProgress(...watermarks: (number | null)[]): Promise<void> {
  const rows = watermarks.map((watermark, partition) =>
    partitionProgress({ owner: id, partition, watermark }),
  );
  await store.projections.save([], rows);
}

async function saveHistory(partition: number, ...times: number[]): Promise<void> {
  const history = StateHistory.from();
  for (const time of times) history.add({ time, known: time }, [1], { fold, until: -Infinity });
  const state = JSON.stringify(history);
  const row = stateRow({ owner: id, key: 'k', partition, state });
  await store.projections.save([{ ...row, stage: historyStage }], []);
}

const lookupAt = (time: number, key = 'k') => ({ projection: 'p', key, asOf: { time, known: time } });

async function answersTo(...lookups: ReturnType<typeof lookupAt>[]): Promise<unknown[]> {
  const found: LoadedProjectionStates = new Map();
  await loader().load(lookups, found, new AbortController().signal);
  return [...found.values()];
}

it('returns the states as of each time, merged over the partitions', async () => {
  await saveHistory(0, 1, 3);
  await saveHistory(1, 2);
  await saveProgress(9, 9);
  const asked = [0, 1, 2, 3].map((time) => lookupAt(time));
  expect(await answersTo(...asked, lookupAt(3, 'other'))).toEqual([
    ...[null, '{"n":1}', '{"n":2}', '{"n":3}'],
    null,
  ]);
});

it('waits until every partition has folded what was ingested by then, and asks the projection to save it', async () => {
  await saveHistory(0, 1);
  await saveProgress(9, null);
  let answer: unknown;
  const loading = answersTo(lookupAt(5)).then((found) => (answer = found));
  await vi.waitFor(() => expect(requests.length).toBeGreaterThan(2));
  expect(answer).toBeUndefined();
  expect(JSON.parse(requests[0]!)).toMatchObject({ group: topics.projectionGroup(id) });
  expect(waits).toBeGreaterThan(2);
  await saveProgress(9, 5);
  await loading;
  expect(answer).toEqual(['{"n":1}']);
});

it('waits for the partitions of a stream that have no progress yet', async () => {
  await saveProgress(9);
  const loading = answersTo(lookupAt(5));
  await vi.waitFor(() => expect(requests.length).toBeGreaterThan(2));
  await saveProgress(9, 9);
  expect(await loading).toEqual([null]);
});

it('waits for the first generation with a history, and says in the log for what it waits', async () => {
  definition = { serving: serving(), building: serving('1h'), paused: true };
  await saveProgress(9, 9);
  const loading = answersTo(lookupAt(5));
  await vi.waitFor(() => expect(warnings).not.toEqual([]));
  expect(warnings[0]).toMatchObject([{ projection: 'p', paused: true }, expect.any(String)]);
  definition = { serving: serving('1h'), building: null };
  expect(await loading).toEqual([null]);
});

it('answers with the next generation if the rows of the one that it has read are removed', async () => {
  await saveProgress(9, 9);
  const tables = loader();
  const found: LoadedProjectionStates = new Map();
  await tables.load([lookupAt(5)], found, new AbortController().signal);
  await store.projections.remove(id);
  const asked = requests.length;
  const loading = tables.load([lookupAt(6)], found, new AbortController().signal);
  await vi.waitFor(() => expect(requests.length).toBeGreaterThan(asked));
  id = 'c'.repeat(24);
  definition = { serving: serving('1h'), building: null };
  await saveHistory(0, 6);
  await saveProgress(9, 9);
  await loading;
  expect([...found.values()]).toEqual([null, '{"n":1}']);
});

it('waits for a reset after a source was deleted and created again: its events are in no history', async () => {
  await saveProgress(9, 9);
  streamId = 'orders#2';
  const loading = answersTo(lookupAt(5));
  await vi.waitFor(() => expect(warnings).not.toEqual([]));
  expect(waits).toBeGreaterThan(10);
  streamId = 'orders#1';
  expect(await loading).toEqual([null]);
});

it('waits apart from the reads, which hold memory', async () => {
  const waiting = loader().wait([lookupAt(5)], new AbortController().signal);
  await vi.waitFor(() => expect(requests).not.toEqual([]));
  await saveProgress(9, 9);
  await waiting;
});

it('says that a projection keeps no history, or does not exist', async () => {
  definition = { serving: serving(), building: null };
  expect(await answersTo(lookupAt(5))).toEqual([
    { detail: expect.stringContaining('keeps no history') as string },
  ]);
  definition = undefined;
  expect(await answersTo(lookupAt(5))).toEqual([{ detail: 'There is no projection p.' }]);
});

it('stops waiting when its signal is aborted', async () => {
  const stop = new AbortController();
  const loading = loader().load([lookupAt(5)], new Map(), stop.signal);
  stop.abort(new Error('revoked'));
  await expect(loading).rejects.toThrow('revoked');
});
