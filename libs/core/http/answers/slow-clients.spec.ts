import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { metricsText } from '#telemetry';
import { startTestApp, type TestApp } from '../http.fixture.js';
import { HttpAnswerMemoryBudget } from './http-answer-memory-budget.js';

const mib = 1024 * 1024;
/** More bytes than the operating system buffers for one connection. */
const large = 16 * mib;

let given: TestApp | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await given?.context.lifecycle.stop();
  given = undefined;
});

const post = (path: string, body: string) =>
  fetch(`${given!.url}${path}`, { method: 'POST', body, headers: { 'content-type': 'application/json' } });

function open(path: string, method = 'GET'): Socket {
  const { hostname, port } = new URL(given!.url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  sockets.push(socket);
  socket.pause();
  socket.write(`${method} ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n`);
  return socket;
}

const metric = async (name: string) =>
  Number(new RegExp(`^tributary_http_${name} (\\S+)$`, 'm').exec(await metricsText())?.[1]);
const heldBytes = () => metric('answer_in_flight_bytes');

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(20);
}

describe('clients that do not read their answers', () => {
  it('use no more memory than the budget, and other clients are still served', async () => {
    given = await startTestApp({ listen: true, answers: new HttpAnswerMemoryBudget(64 * mib) });
    for (let i = 0; i < 20; i++) open(`/things/text?bytes=${large}`);
    await until(async () => (await heldBytes()) >= 3 * large);
    for (let i = 0; i < 5; i++) {
      const refused = await fetch(`${given.url}/things/text?bytes=${large}`);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
      expect(await refused.json()).toMatchObject({ code: 'overloaded' });
      const served = await fetch(`${given.url}/things/text?bytes=${mib / 2}`);
      expect((await served.text()).length).toBe(mib / 2);
      expect(await heldBytes()).toBeLessThanOrEqual(64 * mib);
    }
  });

  it('are disconnected, and their bytes return to the budget', async () => {
    const sending = { withinMs: 200, tightMs: 200, lookMs: 20 };
    given = await startTestApp({ listen: true, answers: new HttpAnswerMemoryBudget(64 * mib), sending });
    const cut = await metric('answers_cut_total');
    const reader = open(`/things/text?bytes=${large}`);
    await until(async () => (await metric('answers_cut_total')) > cut);
    await until(async () => (await heldBytes()) === 0);
    reader.resume();
    await new Promise((resolve) => reader.once('close', resolve));
    expect(reader.bytesRead).toBeLessThan(large);
  });

  it('return their bytes to the budget when they disconnect', async () => {
    given = await startTestApp({ listen: true, answers: new HttpAnswerMemoryBudget(64 * mib) });
    const reader = open(`/things/text?bytes=${large}`);
    await until(async () => (await heldBytes()) >= large);
    reader.destroy();
    await until(async () => (await heldBytes()) === 0);
    const answer = await fetch(`${given.url}/things/text?bytes=${3 * large}`);
    expect((await answer.text()).length).toBe(3 * large);
  });
});

describe('a port with an exhausted answer budget', () => {
  it('rejects reads, but still answers probes and confirms writes', async () => {
    given = await startTestApp({ listen: true, answers: new HttpAnswerMemoryBudget(10) });
    expect((await fetch(`${given.url}/things`)).status).toBe(503);
    expect((await fetch(`${given.url}/health/live`)).status).toBe(200);
    const written = await post('/things', '{"name":"a"}');
    expect([written.status, await written.json()]).toEqual([201, { name: 'a' }]);
  });

  it('rejects requests that only try something out and change nothing', async () => {
    given = await startTestApp({ listen: true, answers: new HttpAnswerMemoryBudget(10) });
    const refused = await post('/things/try', '{"name":"a"}');
    expect([refused.status, await refused.json()]).toMatchObject([503, { code: 'overloaded' }]);
  });

  it('disconnects slow clients sooner, including those with answers that must be sent', async () => {
    const sending = { withinMs: 60_000_000, tightMs: 200, lookMs: 20 };
    given = await startTestApp({ listen: true, answers: new HttpAnswerMemoryBudget(mib), sending });
    const cut = await metric('answers_cut_total');
    open('/things/large', 'POST');
    await until(async () => (await metric('answers_cut_total')) > cut);
    await until(async () => (await heldBytes()) === 0);
  });
});

describe('a client that reads its answer', () => {
  it('gets a large answer completely, with its length', async () => {
    given = await startTestApp({ listen: true });
    const answer = await fetch(`${given.url}/things/text?bytes=${large}`);
    expect(answer.headers.get('content-length')).toBe(String(large));
    expect((await answer.text()).length).toBe(large);
    const head = await fetch(`${given.url}/things/text?bytes=${large}`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(large)]);
  });

  it('is not disconnected while it reads slowly but steadily', async () => {
    const sending = { leastBytes: 100, withinMs: 1_000, lookMs: 10 };
    given = await startTestApp({ listen: true, sending });
    const reader = open(`/things/text?bytes=${large}`);
    let bytes = 0;
    for await (const chunk of reader) {
      bytes += (chunk as Buffer).length;
      if (bytes > large) break;
      await sleep(2);
    }
    expect(bytes).toBeGreaterThan(large);
  });
});
