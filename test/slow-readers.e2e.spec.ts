import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem, path, queryEvents, waitFor, type BatchAnswer } from './api.js';
import { useStack } from './use-stack.js';

const mib = 1024 * 1024;
const budget = 96 * mib;
const plant = pathToFileURL('dist/test/plant-garbage-collection.js').href;
const system = useStack({ env: { GATEWAY_ANSWER_MIB: '96', NODE_OPTIONS: `--import=${plant}` } });
const sockets: Socket[] = [];

/** Ten thousand events of 4 kB: a page of 40 MB. */
beforeAll(async () => {
  const data = { text: 'x'.repeat(4_000) };
  for (let batch = 0; batch < 10; batch++) {
    const events = Array.from({ length: 1_000 }, () => ({ stream: 'large', event_type: 't', data }));
    const answer = await system().write.post('/api/v1/events/batch', { events });
    expect(answer.status, answer.text.slice(0, 200)).toBe(201);
    await queryEvents(system().core, { limit: '1' }, waitFor(answer.json<BatchAnswer>().events, 'large'));
  }
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** Opens a client that requests the large page and reads no byte of it. */
function openReader(accept: string): Socket {
  const { hostname, port } = new URL(system().urls.core);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  sockets.push(socket);
  socket.pause();
  socket.write(`GET ${largePage} HTTP/1.1\r\nHost: localhost\r\nAccept: ${accept}\r\n\r\n`);
  return socket;
}

/** Returns the status of the answer that this client has not read yet. */
function statusOf(socket: Socket): Promise<number> {
  return new Promise((resolve) => {
    socket.once('data', (head: Buffer) => resolve(Number(head.toString().split(' ', 2)[1])));
    socket.once('close', () => resolve(0)).resume();
  });
}

const largePage = path('/api/v1/events/query', { stream: 'large', limit: '10000' });
const forms = ['application/json', 'application/x-ndjson', 'text/csv'];

async function figures() {
  const text = (await system().core.get('/metrics')).text;
  const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  return {
    held: value('tributary_http_answer_in_flight_bytes'),
    cut: value('tributary_http_answers_cut_total'),
    resident: value('process_resident_memory_bytes'),
  };
}

describe('32 readers of 40 MB pages that do not read', () => {
  it('use no more memory than the budget, are disconnected, and do not block others', async () => {
    for (let i = 0; i < 3; i++) await system().core.get(largePage);
    const before = await figures();
    let most = before;
    const readers = Array.from({ length: 32 }, (_, i) => openReader(forms[i % 3]!));
    for (let now = before; now.cut === before.cut; now = await figures()) {
      expect(now.held).toBeLessThanOrEqual(budget);
      if (now.resident > most.resident) most = now;
      expect((await queryEvents(system().core, { stream: 'large', limit: '3' })).count).toBe(3);
      const large = await system().core.get(largePage);
      if (large.status !== 200) expectProblem(large, 'overloaded');
      await sleep(200);
    }
    expect(await Promise.all(readers.map(statusOf))).toContain(503);
    console.log(
      `  resident: ${Math.round(before.resident / mib)} MiB, then ${Math.round(most.resident / mib)} MiB at most`,
    );
    expect(most.resident - before.resident).toBeLessThan(400 * mib);
  });

  it('leave the budget to clients that read', async () => {
    for (;;) {
      const answer = await system().core.get(largePage);
      if (answer.status === 200) return expect(answer.json<{ count: number }>().count).toBe(10_000);
      expectProblem(answer, 'overloaded');
      await sleep(500);
    }
  });
});
