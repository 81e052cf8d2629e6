import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { Tributary, type StoredEvent } from '#client';
import { askClickHouse } from '#testkit';
import { useStack } from '../test/use-stack.js';
import { readDatasets } from './datasets.js';
import { allStates } from './delays.js';
import { demo } from './demo.js';
import { delayFields, flightWindows } from './flight-window-case.fixture.js';
import { load, queryable } from './load.js';
import { parseOptions, type DemoOptions } from './options.js';

const stack = useStack({ processors: 1 });

const clientOf = (options: DemoOptions) =>
  new Tributary({ url: options.queryUrl, ingestUrl: options.ingestUrl, apiKey: stack().key });

/** Returns the rows of a query that is sent directly to ClickHouse. */
async function clickHouse(query: string): Promise<unknown[]> {
  const settings = 'default_format=JSONCompact&output_format_json_quote_64bit_integers=0';
  const answer = await askClickHouse(stack(), query, `?database=${stack().database}&${settings}`);
  return ((await answer.json()) as { data: unknown[] }).data;
}

/** Runs the demo on the first rows of each dataset. Resolves with its result and its output. */
async function run(limit: number): Promise<{ complete: boolean; text: string }> {
  const { ingest, query } = stack().urls;
  const args = ['--ingest', ingest, '--query', query, '--limit', String(limit), '--batch', '100'];
  const options = parseOptions(args, {});
  const client = clientOf(options);
  let text = '';
  const screen = { live: false, write: (piece: string) => void (text += piece) };
  return { complete: await demo(client, options, screen), text };
}

describe('given a running system without events', () => {
  it('loads the data, finds as many events as it has sent, and shows them', async () => {
    const { complete, text } = await run(500);
    expect(complete).toBe(true);
    expect(text).toMatch(/earthquakes: 500 in, 500 out: in = out/);
    expect(text).toMatch(/flights: 500 in, 500 out: in = out/);
    expect(text).toMatch(/network-ak █+/);
    expect(text).toMatch(/2018-02-06 █+/);
    expect(text).toMatch(/00 h █+.* % of \d+/);
    expect(text).toMatch(/all \d+ airports agree with ClickHouse's own counts/);
    expect(text).toMatch(/all \d+ hours of the day agree with ClickHouse's own counts/);
  });

  it.each([
    ['airport', 'entity_id'],
    ['hour', 'toString(toHour(timestamp))'],
  ])('has the same delays by %s as ClickHouse, in every field of every key', async (what, key) => {
    const client = clientOf(parseOptions(['--query', stack().urls.query], {}));
    const states = await allStates(client, `delays_by_${what}`);
    const delay = "JSONExtractInt(data, 'delay')";
    const rows = await clickHouse(
      `SELECT ${key} AS key, count(), countIf(${delay} > 15), avg(${delay}), max(${delay}) FROM events FINAL
       WHERE startsWith(stream, 'departures#') GROUP BY key ORDER BY key`,
    );
    const folded = states.map(({ key, state: { flights, late, mean_delay, worst_delay } }) => [
      ...[key, flights, late, mean_delay, worst_delay],
    ]);
    expect(folded).toEqual(rows);
    expect(rows.length).toBeGreaterThan(15);
  });

  it('writes only missing events when it is run again', async () => {
    const again = await run(800);
    expect(again.complete).toBe(true);
    expect(again.text).toMatch(/flights: 800 in \(500 of them by an earlier run\), 800 out: in = out/);
    const complete = await run(800);
    expect(complete.complete).toBe(true);
    expect(complete.text).toMatch(/flights: 800 in \(800 .*nothing to write/);
  });
});

describe('given the flights of three weeks in time order', () => {
  const stream = 'three_weeks.departures';
  /** The name of a pipeline, and of the stream that it writes to. */
  const nameOf = (window: object) => `windows_${Object.keys(window).join('')}`;
  let client: Tributary;

  beforeAll(async () => {
    const { ingest, query } = stack().urls;
    client = clientOf(parseOptions(['--ingest', ingest, '--query', query], {}));
    const { events } = (await readDatasets({ prefix: 'three_weeks.', limit: 5000 })).departures;
    await load(client, events, { batchSize: 500, concurrency: 1, onWritten: () => undefined });
    // One late event advances the watermark of its partition; the other partitions become idle.
    const after = { ...events[0]!, event_id: randomUUID(), event_type: 'closing' };
    await client.write({ ...after, timestamp: '2001-06-01T00:00:00.000Z' });
    await queryable(client, stream, 60_000);
    for (const { window } of flightWindows) {
      await client.pipelines.define({
        name: nameOf(window),
        source: { streams: [stream], where: 'event.event_type != "closing"', idle_after: '1s' },
        operators: [
          { window: { ...window, key: 'event.entity_id', lateness: '0s' } },
          { reduce: delayFields },
          { emit: { stream: nameOf(window) } },
        ],
      });
    }
  });

  it.each(flightWindows)(
    'has the same delays of $what and airport as ClickHouse',
    async ({ window, sql }) => {
      const to = nameOf(window);
      const rows = await clickHouse(sql(stream));
      expect(rows.length).toBeGreaterThan(2000);
      const stored = () => clickHouse(`SELECT count() FROM events FINAL WHERE startsWith(stream, '${to}#')`);
      await expect.poll(stored, { timeout: 240_000, interval: 200 }).toEqual([[rows.length]]);
      const results: StoredEvent<Record<string, string>>[] = [];
      for await (const event of client.events<Record<string, string>>({ stream: to, limit: 10_000 }))
        results.push(event);
      const said = results.map(
        ({ data: { key, window_start, window_end, flights, delay, mean, least, most } }) => [
          ...[key, window_start, window_end, flights, delay, mean, least, most],
        ],
      );
      expect(said.sort((a, b) => (a.slice(0, 2).join() < b.slice(0, 2).join() ? -1 : 1))).toEqual(rows);
      const { late, failed } = await client.pipelines.get(to);
      expect({ late, failed }).toEqual({ late: 0, failed: 0 });
    },
  );
});
