import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { check, LoadDriver, expectClean, faultSeed, Ledger } from '#testkit';
import { expectProblem, freshStream, path, queryEvents, waitFor, writeEvent } from './api.js';
import { useStack } from './use-stack.js';

const system = useStack();
const sockets: Socket[] = [];
const open = (url: string): Socket => {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  sockets.push(socket);
  return socket;
};

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

const works = async () => {
  const written = await writeEvent(system().write, { stream: freshStream(), event_type: 't', data: {} });
  expect((await queryEvents(system().core, { stream: written.stream }, waitFor([written]))).count).toBe(1);
};

describe('slow clients', () => {
  it('that send headers a byte at a time, or a body that never ends, do not block others', async () => {
    const request = 'POST /api/v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
    const dripping = [system().urls.ingest, system().urls.core, system().urls.query].flatMap((url) =>
      Array.from({ length: 50 }, (_, i) => ({
        socket: open(url),
        text: i % 2 ? request : `${request}Content-Length: 9999\r\n\r\n{"stream":"`,
      })),
    );
    for (let at = 0; at < 20; at++) {
      for (const { socket, text } of dripping)
        socket.write(at === 0 && text.includes('{') ? text : (text[at] ?? ' '));
      await sleep(20);
    }
    await works();
  });

  it('that stop after half a request do not stop a SIGTERM', async () => {
    const socket = open(system().urls.ingest);
    socket.write(
      'POST /api/v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{',
    );
    await works();
    const { code } = await system().ingest.kill('SIGTERM');
    expect(code).toBe(0);
    await system().ingest.launch().ready();
  });

  it('that request large pages and do not read them do not block others', async () => {
    const events = Array.from({ length: 2_000 }, () => ({
      stream: 'large',
      event_type: 't',
      data: { text: 'x'.repeat(4_000) },
    }));
    const written = await system().write.post('/api/v1/events/batch', { events });
    await queryEvents(system().core, { limit: '1' }, waitFor(written.json<{ events: [] }>().events, 'large'));
    for (let i = 0; i < 30; i++) {
      const socket = open(system().urls.core);
      socket.pause();
      socket.write('GET /api/v1/events/query?stream=large&limit=2000 HTTP/1.1\r\nHost: localhost\r\n\r\n');
    }
    await works();
    await works();
  });
});

/** Writes one event after the other, each of which is acknowledged. */
async function writeAll(stream: string, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await writeEvent(system().write, { stream, event_type: 't', data: { n } });
}

describe('heavy reading', () => {
  it('by ten concurrent full-range queries, again and again, blocks no write, and no event is lost', async () => {
    const seed = faultSeed();
    const ledger = Ledger.open();
    const streams = [freshStream('a'), freshStream('b')];
    const driver = new LoadDriver({
      url: () => system().urls.ingest,
      ledger,
      seed,
      streams,
      eventsPerSecond: 1_000,
    }).start();
    await driver.untilAcknowledged(500);
    const slow: number[] = [];
    let over = false;
    const readAgainAndAgain = async (): Promise<void> => {
      while (!over) {
        const url = path('/api/v1/events/query', { limit: '10000' });
        // Ten of these take long on a busy machine; the spec is about the writes beside them.
        const answer = await system().core.get(url, { timeoutMs: 300_000 });
        slow.push(answer.status);
      }
    };
    const readers = Array.from({ length: 10 }, readAgainAndAgain);
    await writeAll(freshStream('beside'), 50);
    await driver.untilAcknowledged(500);
    over = true;
    await Promise.all(readers);
    await driver.stop();
    // Refusing some readers for a moment is allowed, failing them is not.
    for (const status of slow) expect(status).toBeOneOf([200, 429, 503]);
    expect(slow).toContain(200);
    expectClean(await check({ client: system().core, ledger }));
    await ledger.discard();
  });

  it('and many event types do not increase the size of /metrics', async () => {
    for (let batch = 0; batch < 10; batch++) {
      const events = Array.from({ length: 5_000 }, (_, n) => ({
        stream: 'types',
        event_type: `type ${batch * 5_000 + n}`,
        entity_id: `e${n}`,
        data: {},
      }));
      const answer = await system().write.post('/api/v1/events/batch', { events });
      expect(answer.status, answer.text.slice(0, 200)).toBe(201);
      if (batch === 9)
        await queryEvents(
          system().core,
          { limit: '1' },
          waitFor(answer.json<{ events: [] }>().events, 'types'),
        );
    }
    for (const app of system().apps) {
      const metrics = await (await fetch(new URL('/metrics', app.probeUrl))).text();
      expect(metrics.length, app.name).toBeLessThan(200_000);
      expect(metrics).not.toContain('type 4');
    }
    const counted = await system().core.get(path('/api/v1/events/count', { stream: 'types' }));
    expect(counted.json(), counted.text).toMatchObject({ total: 50_000 });
    // A count with too many groups is refused: a partial count would be wrong.
    const groups = path('/api/v1/events/count', { stream: 'types', group_by: 'event_type' });
    expectProblem(await system().core.get(groups), 'query_too_expensive');
  });
});
