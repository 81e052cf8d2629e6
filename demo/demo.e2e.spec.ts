import { describe, expect, it } from 'vitest';
import { useStack } from '../test/use-stack.js';
import { ApiClient } from './client.js';
import { demo } from './demo.js';
import { parseOptions } from './options.js';

const stack = useStack();

/** Runs the demo on the first rows of each dataset; resolves with its verdict and what it wrote. */
async function run(limit: number): Promise<{ complete: boolean; text: string }> {
  const { ingest, query } = stack().urls;
  const args = ['--ingest', ingest, '--query', query, '--limit', String(limit), '--batch', '100'];
  const options = parseOptions(args, {});
  const client = new ApiClient({ ...options, apiKey: stack().key });
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
