import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { allStreams } from '#api';
import { derivedSignals } from '#testkit';
import { StreamReadAuthorizer } from './stream-read-authorizer.js';

describe('unknown streams that a read names', () => {
  it('are waited for without leaking listeners on a client signal that many requests share', async () => {
    const definitions = { stream: () => undefined, streams: () => [], onChange: () => () => undefined };
    const tokens = { reached: () => Promise.resolve() };
    const streams = new StreamReadAuthorizer(definitions, tokens, { unknownStreamMs: 1 });
    const { signal: client } = new AbortController();
    const required = { access: allStreams, client, pointerOf: () => 'stream' };
    for (let i = 0; i < 4; i++)
      await expect(streams.requireLive(['orders', 'payments'], required)).rejects.toMatchObject({
        code: 'stream_not_found',
      });
    expect(getEventListeners(client, 'abort')).toEqual([]);
    expect(derivedSignals(client)).toBe(0);
  });
});
