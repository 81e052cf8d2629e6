import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { metricsText } from '#telemetry';
import { gate, startTestApp, type TestApp } from '../http.fixture.js';

let given: TestApp | undefined;
afterEach(async () => {
  await given?.context.lifecycle.stop();
  given = undefined;
});

const body = `{${' '.repeat(1000)}}`;
const slow =
  'POST /things/slow HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n' +
  `Content-Length: ${body.length}\r\n\r\n${body}`;

function open(requests: string): Socket {
  const { hostname, port } = new URL(given!.url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  socket.write(requests);
  return socket;
}

/** Returns the requests in flight, and the bytes of their bodies. */
async function held(): Promise<[requests: number, bytes: number]> {
  const text = await metricsText();
  const value = (name: string) => Number(new RegExp(`^tributary_http_${name} (\\S+)$`, 'm').exec(text)?.[1]);
  return [value('requests_in_flight'), value('body_in_flight_bytes')];
}

async function until(requests: number): Promise<void> {
  while ((await held())[0] !== requests) await sleep(10);
}

describe('pipelined requests', () => {
  it('are answered in order', async () => {
    given = await startTestApp({ listen: true });
    const socket = open(
      ['a', 'b', 'c']
        .map(
          (id) =>
            `GET /things/${id} HTTP/1.1\r\nHost: localhost\r\n${id === 'c' ? 'Connection: close\r\n' : ''}\r\n`,
        )
        .join(''),
    );
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    expect([...text.matchAll(/\{"id":"(.)"\}/g)].map(([, id]) => id)).toEqual(['a', 'b', 'c']);
  });

  it('free their memory if their connection closes before they are answered', async () => {
    given = await startTestApp({ listen: true });
    let letGo = (): void => undefined;
    gate.opened = new Promise<void>((resolve) => (letGo = resolve));
    const before = await held();
    const socket = open(slow.repeat(5));
    await until(before[0] + 5);
    while ((await held())[1] !== 5 * body.length) await sleep(10);
    socket.destroy();
    await until(before[0]);
    expect(await held()).toEqual([before[0], 0]);
    letGo();
  });

  it('are limited to a hundred: a client with more is disconnected', async () => {
    given = await startTestApp({ listen: true });
    let letGo = (): void => undefined;
    gate.opened = new Promise<void>((resolve) => (letGo = resolve));
    const before = await held();
    const socket = open(slow.repeat(102));
    await new Promise((resolve) => socket.once('close', resolve));
    await until(before[0]);
    letGo();
  });
});
