import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allStreams } from '#api';
import { kinds, parseChecked } from '#cel';
import {
  compileFold,
  eventValue,
  magnitudeOf,
  sketchBins,
  storedEventVariable,
  type FoldState,
} from '#dataflow';
import type { StoredEvent } from '#event';
import { newStream, rowsOf, second, t0 } from '../contract/rows.js';
import { UntranslatableValueError } from '../errors.js';
import { rowBatchesOf } from '../row-batch/row-batches-of.fixture.js';
import type { EventCountQuery, SignedBin } from '../store.js';
import { randomData } from './random-where.fixture.js';
import { openTestStore, type TestStore } from './test-store.js';

const probabilities = [0, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1];
const double = fc.double({ noNaN: true, noDefaultInfinity: true });
/** Magnitudes over hundreds of powers of ten, of which the lower ones collapse. */
const doubles = double.map((n) => `{"a":${JSON.stringify(n)},"b":${JSON.stringify(n)}}`);
const wide = newStream();
const mixed = newStream();

const estimateOf = (bin: SignedBin | null) => bin && bin.sign * (bin.sign && magnitudeOf(bin.index));

describe('quantiles of a count in ClickHouse', () => {
  let test: TestStore;
  let stored: StoredEvent[];
  beforeAll(async () => {
    test = await openTestStore();
    const data = [...fc.sample(randomData, 400), '{}', '{"a":-0}', '{"a":1}', '{"a":1e400}', '{"a":1e308}'];
    const eventType = (i: number) => ['first', 'second', 'third'][i % 3]!;
    const rows = (stream: string, texts: readonly string[]) =>
      rowsOf(stream, texts.length, (i) => ({ data: texts[i]!, event_type: eventType(i) }));
    for (const batch of [rows(mixed, data), rows(wide, fc.sample(doubles, 400))])
      await test.store.writer.appendRowBatches(rowBatchesOf(batch), batch[0]!.stream);
    const all = { access: allStreams, order: 'asc', limit: 1000 } as const;
    stored = (await test.store.reader.query(all)).items;
  }, 120_000);
  afterAll(() => test.close());

  const quantilesOf = (text: string) => ({
    value: parseChecked(text, storedEventVariable, kinds.number),
    probabilities,
    bins: sketchBins,
  });

  const counted = async (text: string, query: Partial<EventCountQuery>) => {
    const quantiles = quantilesOf(text);
    const { buckets } = await test.store.reader.count({
      ...{ access: allStreams, limit: 1000, quantiles, ...query },
    });
    return buckets.map(({ start, group, count, quantiles: bins }) => ({
      ...{ key: start ?? group ?? null, count },
      quantiles: Object.fromEntries(probabilities.map((p, i) => [String(p), estimateOf(bins![i]!)])),
    }));
  };

  /** Folds the stored events of each key; those that the fold rejects are counted and left out, as a count does. */
  const folded = (text: string, keyOf: (event: StoredEvent) => string | number | null, stream: string) => {
    const fold = compileFold({ q: { op: 'quantile', value: text, p: probabilities } });
    const states = new Map<string | number | null, { state: FoldState; count: number }>();
    for (const event of stored.filter((one) => one.stream === stream.split('#')[0])) {
      const key = keyOf(event);
      const { state, count } = states.get(key) ?? { state: fold.empty, count: 0 };
      const added = fold.add(state, { position: [0, 0, event.offset, stream], value: eventValue(event) });
      states.set(key, { state: added.state ?? state, count: count + 1 });
    }
    const found = [...states].map(([key, { state, count }]) => {
      const { q } = JSON.parse(fold.result(state)) as { q: Record<string, number | null> };
      return { key, count, quantiles: q };
    });
    return found.sort((a, b) => (String(a.key) < String(b.key) ? -1 : 1));
  };

  const minute = 60;
  it.each([
    'event.data.a',
    'event.data.b',
    '-event.data.a',
    'event.data.a + 1',
    'event.offset',
    'has(event.data.c) ? event.data.c : event.offset',
  ])('%s: equal those of the fold, in total, for each group and for each interval', async (text) => {
    for (const stream of [mixed, wide]) {
      const streams = [stream];
      expect(await counted(text, { streams })).toEqual(folded(text, () => null, stream));
      expect(await counted(text, { streams, groupBy: 'event_type' })).toEqual(
        folded(text, (event) => event.event_type, stream),
      );
      const startOf = ({ offset }: StoredEvent) =>
        Math.floor((t0 + offset * second) / (minute * second)) * minute * second;
      expect(await counted(text, { streams, intervalSeconds: minute })).toEqual(
        folded(text, startOf, stream),
      );
    }
  });

  it('are null without numbers, and there is no bucket without events', async () => {
    const nulls = Object.fromEntries(probabilities.map((p) => [String(p), null]));
    const [bucket] = await counted('event.data.missing', { streams: [mixed] });
    expect(bucket).toMatchObject({ count: 405, quantiles: nulls });
    expect(await counted('event.data.a', { streams: [newStream()] })).toEqual([]);
  });

  it('are of the streams that the caller may read', async () => {
    const access = { patterns: [wide], reserved: false };
    expect(await counted('event.data.a', { access })).toEqual(folded('event.data.a', () => null, wide));
  });

  it('count a repeated row once', async () => {
    const stream = newStream();
    const rows = rowsOf(stream, 3, (i) => ({ data: `{"a":${[1, 100, 100][i]}}` }));
    for (const token of ['first', 'again'])
      await test.store.writer.appendRowBatches(rowBatchesOf(rows), `${stream} ${token}`);
    const [bucket] = await counted('event.data.a', { streams: [stream] });
    expect(bucket).toMatchObject({ count: 3, quantiles: { 0.5: expect.closeTo(100, -1) as number } });
  });

  it('name the position of a part that has no translation', async () => {
    const asked = counted('event.data.a[event.offset]', { streams: [mixed] });
    await expect(asked).rejects.toThrow(UntranslatableValueError);
  });
});
