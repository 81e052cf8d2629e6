import { build } from 'esbuild';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshStream } from '../api.js';
import { chromium } from '../debian-program.js';
import { useSharedStack } from '../use-stack.js';

const system = useSharedStack();
let browser: Browser;
let page: Page;

beforeAll(async () => {
  browser = await puppeteer.launch({
    executablePath: chromium(),
    headless: 'shell',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  page = await browser.newPage();
  // The port serves only its own pages, and this one loads no other resource.
  await page.goto(`${system().urls.core}/health/live`);
  await page.evaluate(await bundle());
});
afterAll(() => browser?.close());

/** Returns the client as a script that defines a global of the page. */
async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    ...{ entryPoints: ['packages/client/src/index.ts'], bundle: true, write: false },
    ...{ format: 'iife', globalName: 'client', platform: 'browser', target: 'es2022' },
  });
  return `${outputFiles[0]!.text};globalThis.Tributary = client.Tributary;`;
}

/** Runs the body of a function in the page, with a client and a stream as its parameters. */
function inPage<T>(body: string, stream: string): Promise<T> {
  const script = `(async (client, stream) => {${body}})(new Tributary({ url: location.origin }), ${JSON.stringify(stream)})`;
  return page.evaluate(script) as Promise<T>;
}

describe('the client in a browser, on the core port', () => {
  it('writes with a producer, compressed, and reads', async () => {
    const result = await inPage<{ total: number; text: string; state: object }>(
      `const producer = client.producer();
       const send = (n) => producer.send({ stream, event_type: 't', entity_id: 'e', dataText: '{"n": ' + n + '.0}' });
       await Promise.all(Array.from({ length: 300 }, (_, n) => send(n)));
       await producer.close();
       const wait_for = client.afterWrites();
       const { total } = await client.count({ stream, wait_for });
       const page = await client.events({ stream, order: 'desc', limit: 1 }).first();
       const { state } = await client.state({ stream, entity_id: 'e' });
       return { total, text: page.items[0].dataText, state };`,
      freshStream('browser'),
    );
    expect(result).toEqual({ total: 300, text: '{"n": 299.0}', state: { n: 299 } });
  });

  it('follows a stream, and continues from a position', async () => {
    const seen = await inPage<string[]>(
      `await client.streams.create({ stream });
       const since = '1970-01-01T00:00:00Z';
       for (const n of [1, 2]) await client.write({ stream, event_type: 't', entity_id: 'e', data: { n } });
       const first = client.tail({ stream, since });
       const seen = [];
       for await (const event of first) { seen.push(event.dataText); break; }
       for await (const event of client.tail({ stream, since }, { from: first.position })) { seen.push(event.dataText); break; }
       return seen;`,
      freshStream('browser'),
    );
    expect(seen).toEqual(['{"n":1}', '{"n":2}']);
  });

  it('throws an error of the class of the problem code', async () => {
    const error = await inPage<object>(
      `return client.streams.get(stream).catch(({ name, code, status }) => ({ name, code, status }));`,
      freshStream('browser'),
    );
    expect(error).toEqual({ name: 'StreamNotFoundError', code: 'stream_not_found', status: 404 });
  });
});
