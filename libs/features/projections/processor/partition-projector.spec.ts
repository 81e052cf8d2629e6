import type { OwnedPartition } from '#engine';
import type { RecordBatch } from '#kafka';
import type { KeyedStateRow, PartitionCheckpoint } from '#store';
import { SharedIdWindows, StateHistory } from '#dataflow';
import type { ProjectionGeneration, ProjectionSpec } from '#features/projections/definition';
import { beforeEach, describe, expect, it } from 'vitest';
import { ownedPartition } from '../../../core/engine/owned-partition.fixture.js';
import { eventLoopRoundsDuring } from '../../pipelines/processor/event-loop-rounds.fixture.js';
import {
  revenue,
  topics,
  valueOf,
  window,
  type SpecEvent,
} from '../../../../apps/processor/src/processor.fixture.js';
import { compileGeneration } from './desired-generations.js';
import { SharedKeyStateCache } from './shared-key-state-cache.js';
import { PartitionProjector } from './partition-projector.js';

const place = { owner: 'b', stage: '', stream: 'orders', partition: 0 };
const topic = topics.ofStream('orders#1');

let asked: string[][];
let partition: OwnedPartition;
/** Lets a load of states that waits in the in-memory store continue. */
let answer: () => void;
let held: Promise<void> | undefined;

beforeEach(() => {
  [asked, partition, held] = [[], ownedPartition(), undefined];
});

interface Options {
  from?: number;
  rows?: KeyedStateRow[];
  complete?: boolean;
  traced?: boolean;
  spec?: Partial<ProjectionSpec>;
  progress?: PartitionCheckpoint;
}

function build(spec: Partial<ProjectionSpec> = {}): ProjectionGeneration {
  return {
    id: 'b',
    version: 1,
    spec: { ...revenue, ...spec },
    sources: { orders: { id: 'orders#1' } },
    started_at: '',
  };
}

function projector(options: Options = {}): PartitionProjector {
  return new PartitionProjector({
    ...{ name: 'revenue', place, partition, progress: options.progress, from: options.from ?? 0 },
    compiled: compileGeneration(build(options.spec)),
    window: new SharedIdWindows(window).open({
      ...{ topic, partition: 0, beginning: 0, position: 0, warmUpStart: 0, epochBefore: () => -1 },
    }),
    erasures: { endOf: () => 0 },
    keys: new SharedKeyStateCache({ keys: 100, weight: 1e6 }).open({ complete: options.complete ?? false }),
    traced: options.traced ?? false,
    load: async (keys) => {
      asked.push([...keys]);
      await held;
      return options.rows ?? [];
    },
    now: () => (options.spec?.history === undefined ? 7 : 1e15),
  });
}

function batch(from: number, ...events: SpecEvent[]): RecordBatch {
  const records = events.map((event, i) => ({
    ...{ topic, partition: 0, offset: from + i, key: null, timestamp: 1000, headers: {} },
    value: Buffer.from(valueOf(event)),
  }));
  const next = from + events.length;
  return { topic, partition: 0, records, bytes: 0, next, highWatermark: next };
}

const eur = (id: number, amount: unknown = 1): SpecEvent => ({ id, data: { currency: 'EUR', amount } });
const usd = (id: number): SpecEvent => ({ id, data: { currency: 'USD', amount: 1 } });

it('loads the keys of a batch with one query, without those in memory', async () => {
  const one = projector();
  await one.take(batch(0, eur(0), usd(1), eur(2)));
  await one.take(batch(3, eur(3)));
  expect(asked).toEqual([['EUR', 'USD']]);
});

it('loads nothing if the store has no states of the partition', async () => {
  const one = projector({ complete: true });
  await one.take(batch(0, eur(0), usd(1)));
  expect(asked).toEqual([]);
  expect(one.unsaved()!.rows).toHaveLength(2);
});

it('continues from stored states, and skips events that are folded into them', async () => {
  const former = projector();
  await former.take(batch(0, eur(0), eur(1)));
  const { rows } = former.unsaved()!;
  const one = projector({ rows: [...rows] });
  expect(await one.take(batch(0, eur(0), eur(1), eur(2)))).toMatchObject({ processed: 3 });
  expect(one.unsaved()!.rows).toMatchObject([{ key: 'EUR', events: 3, position: 2 }]);
});

it('does not advance its progress while the keys of a batch are loaded, so that it can be saved then', async () => {
  const one = projector();
  await one.take(batch(0, eur(0)));
  held = new Promise((resolve) => (answer = resolve));
  const taking = one.take(batch(1, eur(1), usd(2), eur(3), usd(4)));
  // The events of keys whose state is in memory are already folded.
  expect(one.unsaved()).toMatchObject({
    rows: [{ key: 'EUR', events: 3, position: 3 }],
    progress: { next: 1, processed: 1 },
  });
  answer();
  await taking;
  expect(one.unsaved()).toMatchObject({
    rows: [
      { key: 'EUR', events: 3 },
      { key: 'USD', events: 2, position: 4 },
    ],
    progress: { next: 5, processed: 5 },
  });
});

it('yields to other work between large records', async () => {
  const one = projector({ complete: true });
  const data = { currency: 'EUR', amount: 1, text: 'x'.repeat(300_000) };
  let done = false;
  const taking = one.take(batch(0, ...[0, 1, 2].map((id) => ({ id, data })))).then(() => (done = true));
  const folded = new Set<number>();
  while (!done) {
    folded.add(one.unsaved()?.rows[0]?.events ?? 0);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await taking;
  expect([...folded]).toEqual([0, 1, 2, 3].slice(0, folded.size));
  expect(folded.size).toBeGreaterThanOrEqual(3);
});

it('folds no further event when its partition is revoked while it yields', async () => {
  const one = projector({ complete: true });
  const taking = one.take(
    batch(0, { id: 0, data: { currency: 'EUR', amount: 1, text: 'x'.repeat(300_000) } }),
  );
  partition.revoke();
  await expect(taking).rejects.toThrow('aborted');
  expect(one.unsavedCount).toBe(0);
});

it('keeps dead letters and changes that are added during a save', async () => {
  const one = projector();
  await one.take(batch(0, eur(0, 'much'), eur(1)));
  const first = one.unsaved()!;
  await one.take(batch(2, eur(2, 'much'), eur(3)));
  first.saved();
  expect(first.letters.map(({ offset }) => offset)).toEqual([0]);
  const second = one.unsaved()!;
  expect(second.letters.map(({ offset }) => offset)).toEqual([2]);
  expect(second.rows).toMatchObject([{ key: 'EUR', events: 2, position: 3 }]);
  second.saved();
  expect(one.unsaved()).toBeUndefined();
  expect([one.unsavedCount, one.unsavedWeight]).toEqual([0, 0]);
});

it('uses records below its start only to fill the id window', async () => {
  const one = projector({ from: 2 });
  expect(await one.take(batch(0, eur(0), eur(1)))).toEqual({ processed: 0, failed: 0, duplicates: 0 });
  expect(one.unsaved()).toBeUndefined();
  expect(await one.take(batch(2, eur(1), eur(2)))).toEqual({ processed: 1, failed: 0, duplicates: 1 });
});

it('has progress to save after a batch without matching events', async () => {
  const one = projector();
  await one.take(batch(0, { id: 0, data: { currency: null } }));
  expect(one.unsaved()).toMatchObject({ rows: [], letters: [], progress: { next: 1, processed: 0 } });
});

it('folds no further event when its partition is revoked during a load', async () => {
  const one = projector();
  held = new Promise((resolve) => (answer = resolve));
  const taking = one.take(batch(0, eur(0)));
  partition.revoke();
  answer();
  await expect(taking).rejects.toThrow();
  expect(one.unsaved()).toBeUndefined();
});

it('returns each traced request of a folded event with one checkpoint', async () => {
  const one = projector({ traced: true });
  const given = batch(0, eur(0), { id: 1, data: {} }, eur(2));
  for (const { offset, headers } of given.records) {
    const trace = String(offset + 1).padStart(32, '0');
    headers.traceparent = Buffer.from(`00-${trace}-00f067aa0ba902b7-01`);
  }
  await one.take(given);
  const unsaved = one.unsaved()!;
  expect(unsaved.sampled.map(({ offset }) => offset)).toEqual([0, 2]);
  unsaved.saved();
  await one.take(batch(3, eur(3)));
  expect(one.unsaved()!.sampled).toEqual([]);
});

describe('of a projection that keeps histories, a partition', () => {
  const spec = { history: '1h' };
  const fold = compileGeneration(build(spec)).fold;
  const at = (id: number, minute: number, ingested = minute): SpecEvent => ({
    ...eur(id),
    timestamp: minute * 60_000_000,
    ingested_at: ingested * 60_000_000,
  });
  const ordersAt = ({ rows }: { rows: readonly KeyedStateRow[] }, minute: number, known = minute) => {
    const { state } = rows.find(({ stage }) => stage === 'history')!;
    const asOf = { time: minute * 60_000_000, known: known * 60_000_000 };
    const answer = StateHistory.from(state).stateAsOf(asOf, fold);
    return 'since' in answer ? answer.since / 60_000_000 : answer.state && fold.results(answer.state).orders;
  };

  it('saves the history of a key with its state, and continues it', async () => {
    const former = projector({ complete: true, spec });
    await former.take(batch(0, at(0, 1), at(1, 2)));
    const saved = former.unsaved()!;
    expect(saved.rows).toMatchObject([
      { key: 'EUR', stage: '', position: 1 },
      { key: 'EUR', stage: 'history', position: 1 },
    ]);
    expect([0, 1, 2].map((minute) => ordersAt(saved, minute))).toEqual([undefined, '1', '2']);
    const one = projector({ rows: [...saved.rows], spec });
    await one.take(batch(0, at(0, 1), at(1, 2), at(2, 3)));
    expect([1, 2, 3].map((minute) => ordersAt(one.unsaved()!, minute))).toEqual(['1', '2', '3']);
    one.unsaved()!.saved();
    expect(one.unsavedWeight).toBe(0);
  });

  it('does not count an event in the state of a time at which it was not ingested', async () => {
    const one = projector({ complete: true, spec });
    await one.take(batch(0, at(0, 1), at(1, 5), at(2, 2, 6)));
    expect([ordersAt(one.unsaved()!, 5), ordersAt(one.unsaved()!, 5, 6)]).toEqual(['2', '3']);
  });

  it('keeps the history for its length', async () => {
    const one = projector({ complete: true, spec });
    await one.take(batch(0, at(0, 1), at(1, 2), at(2, 63)));
    expect([2, 3, 63].map((minute) => ordersAt(one.unsaved()!, minute))).toEqual(['2', '2', '3']);
    expect(ordersAt(one.unsaved()!, 1)).toBe(2);
  });

  it('saves with its progress the time up to which all ingested events are folded', async () => {
    const one = projector({ complete: true, spec });
    await one.take(batch(0, at(0, 1), at(1, 2)));
    const second = 1_000_000;
    expect(one.unsaved()!.progress).toMatchObject({ next: 2, watermark: 119 * second });
    one.unsaved()!.saved();
    expect(one.hasReadAll(3, 600 * second)).toBe(false);
    expect(one.unsaved()).toBeUndefined();
    expect(one.hasReadAll(2, 600 * second)).toBe(true);
    const unsaved = one.unsaved()!;
    expect(unsaved.progress).toMatchObject({ next: 2, watermark: 600 * second });
    unsaved.saved();
    expect(one.hasReadAll(2, 600 * second)).toBe(false);
    const successor = projector({ complete: false, spec, from: 2, progress: unsaved.progress });
    await successor.take(batch(2, at(2, 3)));
    expect([ordersAt(successor.unsaved()!, 10), ordersAt(successor.unsaved()!, 11)]).toEqual([
      undefined,
      '1',
    ]);
  });

  it('does not claim during a batch that its events are folded', async () => {
    const one = projector({ spec });
    held = new Promise((resolve) => (answer = resolve));
    const taking = one.take(batch(0, at(0, 1)));
    expect(one.hasReadAll(0, 600_000_000)).toBe(false);
    expect(one.unsaved()?.progress.watermark ?? null).toBeNull();
    answer();
    await taking;
    expect(one.unsaved()!.progress.watermark).toBe(59_000_000);
  });
});

describe('An event that takes many evaluation steps in several expressions', () => {
  /** A CEL expression whose evaluation takes more than half of the step budget of one event. */
  const costly = 'event.data.l.all(a, event.data.l.all(b, event.data.l.all(c, c >= 0)))';
  const expensive = (id: number): SpecEvent => ({ id, data: { l: [...Array(60).keys()] } });
  const fields = { a: { op: 'count' }, b: { op: 'sum', value: `${costly} ? 1 : 0` } };
  const source = { streams: ['orders'] };

  it('is folded if the expressions together stay within the step budget', async () => {
    const one = projector({ complete: true, spec: { source, key: '"k"', fields } });
    expect(await one.take(batch(0, expensive(0)))).toMatchObject({ processed: 1, failed: 0 });
  });

  it.each([
    ['the filter and a field', { source: { ...source, where: costly }, key: '"k"', fields }],
    ['the key and a field', { source, key: `string(${costly})`, fields }],
    ['two fields', { source, key: '"k"', fields: { c: fields.b, b: fields.b } }],
  ])('becomes a dead letter if %s together exceed the step budget', async (_, spec) => {
    const one = projector({ complete: false, spec });
    expect(await one.take(batch(0, expensive(0)))).toMatchObject({ processed: 0, failed: 1 });
    expect(one.unsaved()!.letters).toMatchObject([
      { error: expect.stringMatching(/^\/fields\/b\/value: .*too many steps for this event/) as string },
    ]);
  });

  it('is followed by a yield to other work', async () => {
    const one = projector({ complete: true, spec: { source, key: '"k"', fields } });
    const rounds = await eventLoopRoundsDuring(() => one.take(batch(0, ...[0, 1, 2, 3, 4].map(expensive))));
    expect(rounds).toBeGreaterThanOrEqual(4);
  });
});
