import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { ConfigError } from '#api';
import { startHttpApp } from './http-app.js';
import { gate, startTestApp, type TestApp } from '../http.fixture.js';

let given: TestApp | undefined;
afterEach(async () => {
  await given?.context.lifecycle.stop();
  given = undefined;
});

/** Writes pieces to a new socket. Resolves with everything that was received until the socket closed. */
async function talk(url: string, pieces: Iterable<string>, pauseMs = 0): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += String(chunk)));
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  for (const piece of pieces) {
    if (socket.destroyed || !socket.writable) break;
    socket.write(piece);
    await sleep(pauseMs);
  }
  await closed;
  return answer;
}

const head = 'POST /things/bytes HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
const expectProblem = (answer: string, status: number, code: string) => {
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(answer).toMatch(/content-type: application\/problem\+json/i);
  expect(answer).toMatch(/x-content-type-options: nosniff/i);
  expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({
    code,
    status,
    request_id: expect.any(String) as string,
  });
};

describe('a request that fails before HTTP routing', () => {
  it.each([
    ['invalid HTTP', 'hello\r\n\r\n', 400, 'invalid_request'],
    ['a length that is not a number', `${head}Content-Length: abc\r\n\r\n`, 400, 'invalid_request'],
    ['two lengths', `${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, 400, 'invalid_request'],
    [
      'a length and chunks',
      `${head}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
      400,
      'invalid_request',
    ],
    ['a line break in a header', `${head}X-A: b\rc\r\n\r\n`, 400, 'invalid_request'],
    ['no Host', 'GET /things HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'invalid_request'],
    ['an unknown Expect', `${head}Expect: foo\r\nConnection: close\r\n\r\n`, 417, 'expectation_failed'],
    ['CONNECT', 'CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n', 405, 'method_not_allowed'],
    ['too many headers', `${head}X-A: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'headers_too_large'],
  ])('with %s is answered with a problem, too', async (...row) => {
    const [, text, status, code] = row;
    given = await startTestApp({ listen: true });
    expectProblem(await talk(given.url, [text]), status, code);
  });
});

describe('invalid bytes after a request', () => {
  it('get no answer: the connection closes after the answer to the request', async () => {
    given = await startTestApp({ listen: true });
    let open = (): void => undefined;
    gate.opened = new Promise<void>((resolve) => (open = resolve));
    const post = head.replace('bytes', 'slow');
    const answer = talk(given.url, [`${post}Content-Length: 2\r\n\r\n{}hello\r\n\r\n`]);
    await sleep(50);
    open();
    const text = await answer;
    expect(text).toMatch(/^HTTP\/1.1 201 /);
    expect(text).toMatch(/\{"done":true\}$/);
  });
});

describe('an HTTP/1.0 request', () => {
  it('needs no Host', async () => {
    given = await startTestApp({ listen: true });
    expect(await talk(given.url, ['GET /things HTTP/1.0\r\n\r\n'])).toMatch(/^HTTP\/1.1 200 /);
  });
});

describe('slow clients', () => {
  const timeouts = { headers: 300, request: 600, keepAlive: 1000 };

  it('that send headers byte by byte are disconnected with a 408', async () => {
    given = await startTestApp({ listen: true, timeouts });
    expectProblem(await talk(given.url, head.repeat(3), 10), 408, 'request_timeout');
  });

  it('whose body never ends are disconnected with a 408', async () => {
    given = await startTestApp({ listen: true, timeouts });
    const body = Array.from({ length: 100 }, () => ' ');
    const answer = await talk(given.url, [`${head}Content-Length: 1000\r\n\r\n`, ...body], 20);
    expectProblem(answer, 408, 'request_timeout');
  });

  it('that send nothing are disconnected', async () => {
    given = await startTestApp({ listen: true, timeouts });
    expect(await talk(given.url, [''])).toMatch(/^(HTTP\/1.1 408|$)/);
  });
});

describe('a shutdown', () => {
  /** Sends a request that waits in its handler. Resolves with its answer and with a function that lets it continue. */
  async function inFlight(app: TestApp) {
    let open = (): void => undefined;
    gate.opened = new Promise<void>((resolve) => (open = resolve));
    const arrived = new Promise<void>((resolve) => (gate.arrived = resolve));
    const answer = fetch(`${app.url}/things/slow`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    });
    await arrived;
    return { answer, open };
  }

  it('answers requests in flight, closes connections, then runs the steps in the reverse order', async () => {
    given = await startTestApp({ listen: true });
    const steps: string[] = [];
    given.context.lifecycle.onStop('first', async () => void steps.push('first'));
    given.context.lifecycle.onStop('second', async () => void steps.push('second'));
    const { answer, open } = await inFlight(given);
    const stopped = given.context.lifecycle.stop();
    await sleep(100);
    expect(steps).toEqual([]);
    open();
    expect(await (await answer).json()).toEqual({ done: true });
    await stopped;
    expect(steps).toEqual(['second', 'first']);
    await expect(fetch(given.url)).rejects.toThrow();
  });

  it('still serves requests for the grace period, with Connection: close', async () => {
    given = await startTestApp({ listen: true, graceMs: 500 });
    given.context.health.unready = 'stopping';
    const stopped = given.context.lifecycle.stop();
    await sleep(50);
    const answer = await fetch(`${given.url}/things`);
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
    expect((await fetch(`${given.url}/health/ready`)).status).toBe(503);
    await stopped;
  });

  it('answers requests on open connections with 503 shutting_down', async () => {
    given = await startTestApp({ listen: true });
    const { answer, open } = await inFlight(given);
    const { hostname, port } = new URL(given.url);
    const socket = connect(Number(port), hostname);
    await sleep(20);
    const stopped = given.context.lifecycle.stop();
    await sleep(150);
    socket.write('GET /things HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const text = await new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
    expect(text).toMatch(/^HTTP\/1.1 503 /);
    expect(text).toMatch(/connection: close/i);
    expect(text).toMatch(/retry-after: \d/i);
    expect(text).toContain('"shutting_down"');
    open();
    expect((await answer).status).toBe(201);
    await stopped;
  });

  it('ends in time even if a request never ends', async () => {
    given = await startTestApp({ listen: true, seconds: 1 });
    const { answer, open } = await inFlight(given);
    const cut = expect(answer).rejects.toThrow();
    const steps: string[] = [];
    given.context.lifecycle.onStop('flush', async () => void steps.push('flush'));
    await given.context.lifecycle.stop();
    await cut;
    open();
    expect(steps).toEqual(['flush']);
  });
});

describe('a port', () => {
  it('that is in use is reported with the name of its setting', async () => {
    given = await startTestApp({ listen: true });
    const listen = { host: '127.0.0.1', port: Number(new URL(given.url).port), variable: 'SPEC_PORT' };
    const second = startTestApp().then(({ context }) => startHttpApp({ context, module: class {}, listen }));
    await expect(second).rejects.toThrow(ConfigError);
    await expect(second).rejects.toThrow(/^SPEC_PORT: 127\.0\.0\.1:\d+ is in use/);
  });

  it('answers 503 starting until the app has started, but always answers health checks', async () => {
    given = await startTestApp();
    given.context.lifecycle.running = false;
    given.context.health.unready = 'starting';
    const get = async (url: string) => (await given!.app.instance.inject(url)).statusCode;
    expect([await get('/things'), await get('/health/live'), await get('/health/ready')]).toEqual([
      503, 200, 503,
    ]);
    given.context.lifecycle.running = true;
    given.context.health.unready = undefined;
    expect([await get('/things'), await get('/health/ready')]).toEqual([200, 200]);
  });
});
