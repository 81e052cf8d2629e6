import { getEventListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { ProblemError } from '#api';
import { derivedSignals } from '#testkit';
import { LiveConnections } from './live-connections.js';

const logger = pino({ enabled: false });
const given = (maxStreams: number, maxStreamsPerKey: number) =>
  new LiveConnections(logger, { LIVE_STREAMS: maxStreams, LIVE_STREAMS_PER_KEY: maxStreamsPerKey });

/** Opens a stream; the returned function ends it. */
function opened(connections: LiveConnections, keyId: string | null): () => Promise<void> {
  let end: () => void = () => undefined;
  const open = connections.admit(keyId, () => new Promise((resolve) => (end = resolve)));
  return async () => {
    end();
    await open;
  };
}
const ask = (connections: LiveConnections, keyId: string | null) =>
  connections.admit(keyId, () => Promise.resolve());

describe('the open streams of an instance', () => {
  it('are limited per key: a key over its limit is refused, and others are accepted', async () => {
    const connections = given(5, 2);
    const ends = ['a', 'a'].map((key) => opened(connections, key));
    await expect(ask(connections, 'a')).rejects.toMatchObject({
      ...{ code: 'too_many_requests', options: { retryAfterSeconds: 5 } },
      message: expect.stringMatching(/has 2 open streams.*Close some.*LIVE_STREAMS_PER_KEY/) as string,
    });
    await ask(connections, 'b');
    await ends[0]?.();
    await ask(connections, 'a');
  });

  it('are limited in total, whoever opens them', async () => {
    const connections = given(3, 2);
    for (const key of ['a', 'a', 'b']) opened(connections, key);
    await expect(ask(connections, 'b')).rejects.toMatchObject({ code: 'overloaded' });
  });

  it('have no limit per key on a port without keys', async () => {
    const connections = given(4, 2);
    for (const key of [null, null, null]) opened(connections, key);
    await ask(connections, null);
  });

  it('leave no listeners on a signal that outlives them', async () => {
    const connections = given(3, 2);
    const { signal } = new AbortController();
    const response = { write: () => true, end: () => undefined, writableFinished: true, writableLength: 0 };
    const ended = new ProblemError('stream_not_found', 'deleted');
    const content = {
      ...{ requestId: '', position: () => '', requireGood: () => undefined },
      run: () => Promise.reject(ended),
    };
    for (let i = 0; i < 4; i++)
      await connections.serve(content, response as unknown as ServerResponse, signal);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(derivedSignals(signal)).toBe(0);
  });
});
