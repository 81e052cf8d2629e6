import { expect, it } from 'vitest';
import { Tributary } from '#client';
import { scopesFinding } from './examine.js';

/** Answers like a server whose key has the scope `events:read`; `limited` requests are answered 429 first. */
function finding(limited: number) {
  const problem = (status: number, code: string) =>
    new Response(JSON.stringify({ code, status, detail: code, title: code }), {
      status,
      headers: { 'content-type': 'application/problem+json', 'retry-after': '0' },
    });
  const fetch = (url: string) => {
    if (limited-- > 0) return Promise.resolve(problem(429, 'too_many_requests'));
    if (!new URL(url).pathname.endsWith('/streams'))
      return Promise.resolve(problem(403, 'insufficient_scope'));
    return Promise.resolve(new Response(JSON.stringify({ streams: [], next_cursor: null, has_more: false })));
  };
  const client = new Tributary({ url: 'http://tributary', fetch });
  return scopesFinding(client, new AbortController().signal);
}

it('given a key with a rate limit, doctor waits, and lists only the scopes that the key has', async () => {
  expect(await finding(2)).toMatchObject({ verdict: 'ok', detail: 'The key has the scopes: events:read.' });
});

it('given a key of a worker, doctor finds its scope without an event', async () => {
  const bodies: unknown[] = [];
  const fetch = (url: string, { body }: RequestInit) => {
    const isAllowed = url.endsWith('/ack');
    if (isAllowed) bodies.push(JSON.parse(body as string));
    const [status, code] = isAllowed
      ? ([400, 'invalid_request'] as const)
      : ([403, 'insufficient_scope'] as const);
    return Promise.resolve(
      new Response(JSON.stringify({ code, status, detail: code, title: code }), { status }),
    );
  };
  const client = new Tributary({ url: 'http://tributary', fetch });
  const { detail } = await scopesFinding(client, new AbortController().signal);
  expect(detail).toBe('The key has the scopes: subscriptions:consume.');
  expect(bodies).toEqual([{}]);
});

it('given a key whose rate limit remains exceeded, doctor claims no scope', async () => {
  expect(await finding(1_000)).toMatchObject({ verdict: 'wrong' });
});
