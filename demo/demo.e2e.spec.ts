import { describe, expect, it } from 'vitest';
import { useStack } from '../test/use-stack.js';
import { ApiClient } from './client.js';
import { allStates } from './delays.js';
import { demo } from './demo.js';
import { parseOptions, type DemoOptions } from './options.js';

const stack = useStack({ processors: 1 });

const clientOf = (options: DemoOptions) => new ApiClient({ ...options, apiKey: stack().key });

/** The rows of a question that is sent straight to ClickHouse. */
async function clickHouse(query: string): Promise<unknown[]> {
  const { clickhouseUrl, database } = stack();
  const settings = 'default_format=JSONCompact&output_format_json_quote_64bit_integers=0';
  const answer = await fetch(`${clickhouseUrl}/?database=${database}&${settings}`, {
    method: 'POST',
    body: query,
  });
  return ((await answer.json()) as { data: unknown[] }).data;
}

/** Runs the demo on the first rows of each dataset; resolves with its verdict and what it wrote. */
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
  it('loads the data, finds as many events as it sent, and shows them', async () => {
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
  ])('has delays by %s that are ClickHouse’s own, in every field of every key', async (what, key) => {
    const client = clientOf(parseOptions(['--query', stack().urls.query], {}));
    const states = await allStates(client, `delays_by_${what}`);
    const delay = "JSONExtractInt(data, 'delay')";
    const rows = await clickHouse(
      `SELECT ${key} AS key, count(), countIf(${delay} > 15), avg(${delay}), max(${delay}) FROM events FINAL
       WHERE stream = 'departures' GROUP BY key ORDER BY key`,
    );
    const folded = states.map(({ key, state: { flights, late, mean_delay, worst_delay } }) => [
      ...[key, flights, late, mean_delay, worst_delay],
    ]);
    expect(folded).toEqual(rows);
    expect(rows.length).toBeGreaterThan(15);
  });

  it('writes only what is missing when it is run again', async () => {
    const again = await run(800);
    expect(again.complete).toBe(true);
    expect(again.text).toMatch(/flights: 800 in \(500 of them by an earlier run\), 800 out: in = out/);
    const complete = await run(800);
    expect(complete.complete).toBe(true);
    expect(complete.text).toMatch(/flights: 800 in \(800 .*nothing to write/);
  });
});
