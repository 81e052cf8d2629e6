import { describe, expect, it } from 'vitest';
import { TimeoutError, UnreachableError } from '../errors/tributary-error.js';
import { clientOf, fakeFetch, problem } from './fake-fetch.fixture.js';
import { HttpClient } from './http-client.js';

const never = () => new Promise<never>(() => undefined);
const refused = () => {
  throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
};

describe('a request', () => {
  it('contains the key, and its path is appended to the base URL', async () => {
    const fetch = fakeFetch(() => ({ body: 'x' }));
    const client = new HttpClient({
      url: 'http://tributary/base/',
      apiKey: 'trb_1',
      timeoutMs: 1_000,
      fetch,
    });
    await client.send({ path: '/api', query: { a: 1 } });
    expect(fetch.seen).toMatchObject([{ path: '/base/api?a=1', headers: { authorization: 'Bearer trb_1' } }]);
  });

  it('without an answer fails with an UnreachableError that contains the reason', async () => {
    const sent = clientOf(fakeFetch(refused)).send({ path: '/' });
    await expect(sent).rejects.toThrow('http://tributary cannot be reached: connect ECONNREFUSED');
    await expect(sent).rejects.toBeInstanceOf(UnreachableError);
  });

  it('that takes too long fails with a TimeoutError', async () => {
    const sent = clientOf(fakeFetch(never)).send({ path: '/', timeoutMs: 20 });
    await expect(sent).rejects.toBeInstanceOf(TimeoutError);
  });

  it('fails with the reason of its signal', async () => {
    const controller = new AbortController();
    const sent = clientOf(fakeFetch(never)).send({ path: '/', signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(sent).rejects.toThrow('enough');
    const late = clientOf(fakeFetch(never)).send({ path: '/', signal: controller.signal });
    await expect(late).rejects.toThrow('enough');
  });
});

describe('a request that may be repeated', () => {
  it('is sent again if the server is overloaded', async () => {
    const answers = [
      () => ({ ...problem('overloaded', 503), headers: { 'retry-after': '0' } }),
      refused,
      () => ({ body: 'x' }),
    ];
    const client = clientOf(fakeFetch(() => answers.shift()!()));
    expect((await client.repeat({ path: '/' })).text).toBe('x');
  });

  it('is sent at most three times', async () => {
    const fetch = fakeFetch(refused);
    await expect(clientOf(fetch).repeat({ path: '/' })).rejects.toBeInstanceOf(UnreachableError);
    expect(fetch.seen).toHaveLength(3);
  });

  it('is not sent again if it was refused permanently or timed out', async () => {
    const fetch = fakeFetch(() => problem('not_yet_materialized', 504));
    await expect(clientOf(fetch).repeat({ path: '/' })).rejects.toMatchObject({ status: 504 });
    expect(fetch.seen).toHaveLength(1);
  });
});
