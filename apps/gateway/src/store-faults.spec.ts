import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { systemActor } from '#registry';
import { QueryTooExpensiveError, StoreUnavailableError, type EventReader } from '#store';
import { givenGateway, type GivenGateway, type GivenGatewayOptions } from './gateway.fixture.js';
import { Bulkhead } from '#gateway-kit';

const reads = [
  '/api/v1/events/query',
  '/api/v1/events/count',
  '/api/v1/events/019aa4e2-7d53-7c1e-9a3e-0d6a1f0b2c11',
  '/api/v1/streams',
  '/api/v1/entities',
  '/api/v1/dead-letters',
];

let gateway: GivenGateway;
afterEach(() => gateway.close());

async function given(options: GivenGatewayOptions): Promise<void> {
  gateway = await givenGateway(options);
  await gateway.definitions.createStream({ stream: 'orders' }, systemActor);
}

describe('a store that', () => {
  it('cannot be reached makes every read a 503 with a retry time', async () => {
    await given({ reader: failing(() => new StoreUnavailableError('connect ECONNREFUSED 10.0.0.1:8123')) });
    for (const url of reads) {
      const answer = await gateway.core.instance.inject({ url });
      expect(answer.json(), url).toMatchObject({ code: 'store_unavailable', status: 503 });
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      expect(answer.body).not.toContain('10.0.0.1');
    }
  });

  it('refuses an expensive query makes the read a 422', async () => {
    await given({ reader: failing(() => new QueryTooExpensiveError('The query reads too much.')) });
    const answer = await gateway.core.instance.inject({ url: '/api/v1/events/query' });
    expect(answer.json()).toMatchObject({ code: 'query_too_expensive', status: 422 });
  });

  it('fails with an unknown error makes the read a 500 without details', async () => {
    await given({ reader: failing(() => new Error('secret table layout')) });
    const answer = await gateway.core.instance.inject({ url: '/api/v1/events/query' });
    expect(answer.json()).toMatchObject({ code: 'internal_error', status: 500 });
    expect(answer.body).not.toContain('secret');
  });
});

describe('many concurrent queries', () => {
  it('wait for a slot, and those that do not fit into the queue get a 503', async () => {
    const slow = new SlowReads();
    await given({
      reader: slow.around,
      bulkhead: new Bulkhead({ concurrent: 2, queued: 3, waitMs: 10_000 }),
    });
    const answers = Array.from({ length: 10 }, () =>
      gateway.core.instance.inject({ url: '/api/v1/events/query' }),
    );
    await slow.begun(2);
    setTimeout(() => slow.finish(), 50);
    const codes = (await Promise.all(answers)).map((answer) => answer.statusCode);
    expect(codes.filter((code) => code === 200)).toHaveLength(5);
    expect(codes.filter((code) => code === 503)).toHaveLength(5);
    expect(slow.mostAtOnce).toBe(2);
  });
});

describe('a client that disconnects', () => {
  it('ends its query, and releases its slot to the next one', async () => {
    const slow = new SlowReads();
    await given({
      reader: slow.around,
      bulkhead: new Bulkhead({ concurrent: 1, queued: 3, waitMs: 10_000 }),
    });
    await gateway.core.instance.listen({ host: '127.0.0.1', port: 0 });
    const { port } = gateway.core.instance.server.address() as AddressInfo;
    const client = request({ port, path: '/api/v1/events/query' }).on('error', () => undefined);
    client.end();
    await slow.begun(1);
    client.destroy();
    await slow.aborted;
    slow.finish();
    const next = await gateway.core.instance.inject({ url: '/api/v1/events/query' });
    expect(next.statusCode).toBe(200);
  });
});

/** Returns a reader of which every method fails. */
function failing(error: () => Error): (reader: EventReader) => EventReader {
  const methods = ['query', 'count', 'byId', 'streams', 'entities', 'deadLetters'] as const;
  const fail = () => Promise.reject(error());
  return () => Object.fromEntries(methods.map((method) => [method, fail])) as unknown as EventReader;
}

/** Delays queries until the spec lets them continue, or their client has disconnected. */
class SlowReads {
  mostAtOnce = 0;
  finish: () => void = () => undefined;
  readonly aborted: Promise<void>;
  private now = 0;
  private started = 0;
  private noteAbort: () => void = () => undefined;
  private readonly released = new Promise<void>((resolve) => (this.finish = resolve));

  constructor() {
    this.aborted = new Promise((resolve) => (this.noteAbort = resolve));
  }

  readonly around = (reader: EventReader): EventReader => {
    const query: EventReader['query'] = async (parameters, signal) => {
      this.started++;
      this.mostAtOnce = Math.max(this.mostAtOnce, ++this.now);
      await Promise.race([this.released, this.abortOf(signal)]).finally(() => this.now--);
      return reader.query(parameters);
    };
    return Object.assign(Object.create(reader) as EventReader, { query });
  };

  /** Resolves when this many queries have started. */
  async begun(count: number): Promise<void> {
    while (this.started < count) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  private abortOf(signal: AbortSignal | undefined): Promise<never> {
    return new Promise((_, reject) => {
      signal?.addEventListener('abort', () => {
        this.noteAbort();
        reject(new Error('aborted'));
      });
    });
  }
}
