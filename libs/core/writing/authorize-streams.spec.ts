import { afterEach, describe, expect, it } from 'vitest';
import type { ProblemDocument } from '#api';
import { generateKey, type KeyRing, type KeyScope } from '#http';
import { event, startTestIngest, type TestIngest } from './writing.fixture.js';

interface BatchAnswer {
  accepted: number;
  events: { error?: { code: string; status: number; errors: { pointer: string }[] } }[];
}

const { key, keyId, sha256 } = generateKey();
const bearer = { authorization: `Bearer ${key}` };

/** Returns a key ring with one key, which has every scope and these streams. */
function ringOf(streams?: readonly string[]): KeyRing {
  const scopes = new Set<KeyScope>(['events:write', 'definitions:write', 'admin']);
  const found = {
    keyId,
    secrets: [{ sha256: Buffer.from(sha256, 'hex') }],
    scopes,
    ...(streams && { streams }),
  };
  return { find: (id) => (id === keyId ? found : undefined) };
}

let given: TestIngest;
afterEach(() => given.close());

describe('given a key with streams', () => {
  const write = async (streams: string[], stream: string) => {
    given = await startTestIngest({ keyRing: ringOf(streams) });
    return given.single(event({ stream }), bearer);
  };

  it.each([
    [['orders'], 'orders'],
    [['x', 'shop.*'], 'shop.eu'],
    [['*'], 'orders'],
  ])('%j covers %s', async (streams, stream) => {
    expect((await write(streams, stream)).statusCode).toBe(201);
  });

  it.each([
    [['orders'], 'orders2'],
    [['shop.*'], 'shop'],
    [[], 'orders'],
  ])('%j does not cover %s: 403, and no stream is created', async (streams, stream) => {
    const answer = await write(streams, stream);
    expect(answer.statusCode).toBe(403);
    expect(answer.json<ProblemDocument>()).toMatchObject({
      code: 'stream_forbidden',
      errors: [{ pointer: '/stream' }],
    });
    expect(given.definitions.stream(stream)).toBeUndefined();
  });

  it('a batch has a rejection for each event of another stream', async () => {
    given = await startTestIngest({ keyRing: ringOf(['a']) });
    const events = ['a', 'b', 'b', 'a'].map((stream) => event({ stream }));
    const answer = await given.batch({ events }, bearer);
    expect(answer.statusCode).toBe(207);
    const errors = answer.json<BatchAnswer>().events.map(({ error }) => error);
    expect(errors.map((error) => error?.errors[0]?.pointer)).toEqual([
      undefined,
      '/events/1/stream',
      '/events/2/stream',
      undefined,
    ]);
    expect(errors[1]).toMatchObject({ code: 'stream_forbidden', status: 403 });
    expect(given.written('a')).toHaveLength(2);
    expect(given.definitions.stream('b')).toBeUndefined();
  });

  it('an atomic batch with an event of another stream is not written', async () => {
    given = await startTestIngest({ keyRing: ringOf(['a']) });
    const events = ['a', 'b'].map((stream) => event({ stream }));
    const answer = await given.post('/api/v1/events/batch?atomic=true', { events }, bearer);
    expect(answer.statusCode).toBe(400);
    expect(given.definitions.stream('a')).toBeUndefined();
  });

  it('only streams that it covers can be created', async () => {
    given = await startTestIngest({ keyRing: ringOf(['a*']) });
    const create = async (stream: string) =>
      (await given.post('/api/v1/streams', { stream }, bearer)).statusCode;
    expect([await create('a1'), await create('b1')]).toEqual([201, 403]);
  });
});

describe.each([
  ['with a key that has every scope', () => ({ keyRing: ringOf() })],
  ['without keys', () => ({})],
])('reserved streams, on a port %s,', (_name, options) => {
  it('can neither be written nor created', async () => {
    given = await startTestIngest(options());
    const body = event({ stream: 'tributary.audit' });
    const answers = [
      await given.single(body, bearer),
      await given.post('/api/v1/streams', { stream: 'tributary.mine' }, bearer),
    ];
    expect(answers.map((answer) => answer.json<ProblemDocument>())).toMatchObject([
      { status: 403, code: 'stream_reserved', errors: [{ pointer: '/stream' }] },
      { status: 403, code: 'stream_reserved', errors: [{ pointer: '/stream' }] },
    ]);
    const batch = await given.batch({ events: [body, event()] }, bearer);
    expect(batch.json<BatchAnswer>().events[0]?.error).toMatchObject({ code: 'stream_reserved' });
    expect(given.definitions.stream('tributary.mine')).toBeUndefined();
    const audited = given.written('tributary.audit').map(({ event_type }) => event_type);
    expect(audited).not.toContain('order.placed');
  });
});
