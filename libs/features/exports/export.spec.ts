import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemActor } from '#registry';
import { until } from '#testkit';
import type { EventReader } from '#store';
import { rowBatchesOf } from '../../core/store/row-batch/row-batches-of.fixture.js';
import { eventRow, givenGateway, type GivenGateway } from '../../../apps/gateway/src/gateway.fixture.js';
import { FakeEventFileExporter } from './fake-files.fixture.js';

const files = new FakeEventFileExporter();
/** The limits of the pages that were read. */
const pages: number[] = [];
let failsAt = Infinity;
/** Runs before the third page is read. */
let meanwhile: ((signal: AbortSignal | undefined) => Promise<void>) | undefined;
let gateway: GivenGateway;

function counted(reader: EventReader): EventReader {
  return Object.assign(Object.create(reader) as EventReader, {
    query: async (...[query, signal]: Parameters<EventReader['query']>) => {
      pages.push(query.limit);
      if (pages.length > failsAt) throw new Error('no more');
      if (pages.length === 3) await meanwhile?.(signal);
      return reader.query(query, signal);
    },
  });
}

beforeAll(async () => {
  gateway = await givenGateway({ files, reader: counted });
  for (const stream of ['orders', 'others'])
    await gateway.definitions.createStream({ stream, partitions: 1 }, systemActor);
  const rows = Array.from({ length: 3_000 }, (_, offset) =>
    eventRow({ stream: 'orders', offset, data: `{"n":${offset},"text":"=1+1"}` }),
  );
  await gateway.store.writer.appendRowBatches(rowBatchesOf(rows), 'orders');
  const schema = { type: 'object', properties: { n: { type: 'integer' } } };
  const payload = { stream: 'orders', event_type: 'order.placed', schema };
  const url = '/api/v1/schemas';
  const answer = await gateway.core.instance.inject({ method: 'POST', url, payload });
  expect(answer.statusCode, answer.body).toBe(201);
});
afterAll(() => gateway.close());

const get = (query: string) => gateway.core.instance.inject({ url: `/api/v1/events/export?${query}` });

describe('an export', () => {
  it('contains every matching event, whatever the page size', async () => {
    pages.length = 0;
    const { statusCode, headers, body } = await get('stream=orders');
    expect([statusCode, headers['content-type']]).toEqual([200, 'application/x-ndjson']);
    expect(headers['x-events-total']).toBe('3000');
    const events = body.trimEnd().split('\n');
    expect(events.map((line) => (JSON.parse(line) as { offset: number }).offset)).toEqual(
      Array.from({ length: 3_000 }, (_, offset) => offset),
    );
    expect(pages.length).toBeGreaterThan(1);
  });

  it('has the same lines as a query', async () => {
    const accept = { accept: 'application/x-ndjson' };
    const url = '/api/v1/events/query?stream=orders&limit=3';
    const query = await gateway.core.instance.inject({ url, headers: accept });
    expect((await get('stream=orders')).body.startsWith(query.body)).toBe(true);
  });

  it('in CSV is exact, or safe for spreadsheets', async () => {
    const lineOf = async (query: string) => (await get(query)).body.split('\r\n')[1];
    expect(await lineOf('stream=orders&format=csv')).toContain('"{""n"":0,""text"":""=1+1""}"');
    expect((await get('stream=orders&format=csv&csv_safe=true')).body.split('\r\n')).toHaveLength(3_002);
  });

  it('of no events is empty', async () => {
    expect((await get('stream=others')).body).toBe('');
    expect((await get('stream=others&format=csv')).body.split('\r\n')).toHaveLength(2);
  });

  it('answers a problem if it fails before the first line, and is cut off if it fails later', async () => {
    [pages.length, failsAt] = [0, 0];
    expect((await get('stream=orders')).statusCode).toBe(500);
    [pages.length, failsAt] = [0, 2];
    const begun = get('stream=orders');
    await expect(begun).rejects.toThrow();
    failsAt = Infinity;
  });

  it('as a file is sent with its length, and has the members of a schema as columns', async () => {
    const { statusCode, headers, rawPayload } = await get(
      'stream=orders&event_type=order.placed&format=parquet',
    );
    expect(statusCode).toBe(200);
    expect(rawPayload).toEqual(files.bytes);
    expect(headers).toMatchObject({
      'content-type': 'application/vnd.apache.parquet',
      'content-length': String(files.bytes.length),
      'content-disposition': 'attachment; filename="events.parquet"',
    });
    expect(files.asked.at(-1)).toMatchObject({
      format: 'parquet',
      streams: [gateway.definitions.stream('orders')?.id],
      members: [{ member: 'n', type: 'integer' }],
    });
  });

  it('as an incomplete file answers a problem', async () => {
    const [bytes, part] = [files.bytes, Buffer.from('PAR1 rows')];
    files.bytes = part;
    const answer = await get('stream=orders&format=parquet');
    files.bytes = bytes;
    expect([answer.statusCode, answer.headers['content-disposition']]).toEqual([503, undefined]);
    expect(answer.json()).toMatchObject({ code: 'store_unavailable' });
  });

  it('is cut off when its stream is deleted and created again meanwhile', async () => {
    await gateway.definitions.createStream({ stream: 'brief', partitions: 1 }, systemActor);
    const { id } = gateway.definitions.stream('brief')!;
    const rows = Array.from({ length: 9_000 }, (_, offset) =>
      eventRow({ stream: 'brief', offset, data: '{}' }),
    );
    await gateway.store.writer.appendRowBatches(rowBatchesOf(rows), id);
    pages.length = 0;
    meanwhile = async () => {
      await gateway.definitions.deleteStream('brief', () => Promise.resolve(), systemActor);
      await gateway.definitions.createStream({ stream: 'brief', partitions: 1 }, systemActor);
    };
    const answer = get('stream=brief').then(({ body }) => body.split('\n').length);
    await expect(answer).rejects.toThrow();
    meanwhile = undefined;
  });

  it('is the only one of its key at that time', async () => {
    const headers = { authorization: gateway.bearer['events:read'] };
    const ask = () => gateway.query.instance.inject({ url: '/api/v1/events/export?stream=orders', headers });
    let second: Awaited<ReturnType<typeof ask>> | undefined;
    pages.length = 0;
    meanwhile = async () => {
      meanwhile = undefined;
      second = await ask();
    };
    expect((await ask()).statusCode).toBe(200);
    expect([second?.statusCode, second?.headers['retry-after']]).toEqual([429, '1']);
    expect((await ask()).statusCode).toBe(200);
  });

  it('stops reading when its client disconnects', async () => {
    const url = await gateway.core.instance.listen({ host: '127.0.0.1', port: 0 });
    const client = new AbortController();
    pages.length = 0;
    meanwhile = async (signal) => {
      client.abort();
      await until(() => signal?.aborted === true, { what: 'the end of the export' });
    };
    const path = '/api/v1/events/export?stream=orders';
    const reading = fetch(new URL(path, url), { signal: client.signal }).then((answer) => answer.text());
    await expect(reading).rejects.toThrow('aborted');
    meanwhile = undefined;
    await get('stream=others');
    // Six pages have all events; the last page is that of the other export.
    expect(pages).toHaveLength(4);
  });

  it('refuses unknown formats', async () => {
    expect((await get('format=xlsx')).json()).toMatchObject({ code: 'invalid_request' });
  });
});

describe('an export that reaches its time limit', () => {
  let limited: GivenGateway;
  /** The export waits here for its end, before its second page. */
  const stuck = (reader: EventReader): EventReader =>
    Object.assign(Object.create(reader) as EventReader, {
      query: async (...[query, signal]: Parameters<EventReader['query']>) => {
        if (query.cursor !== undefined)
          await until(() => signal?.aborted === true, { what: 'the end of the export' });
        return reader.query(query, signal);
      },
    });

  beforeAll(async () => {
    limited = await givenGateway({ reader: stuck, exportSeconds: 0.2 });
    await limited.definitions.createStream({ stream: 'orders', partitions: 1 }, systemActor);
    const rows = Array.from({ length: 1_000 }, (_, offset) => eventRow({ stream: 'orders', offset }));
    await limited.store.writer.appendRowBatches(rowBatchesOf(rows), limited.definitions.stream('orders')!.id);
  });
  afterAll(() => limited.close());

  it('is cut off, and frees its slot', async () => {
    for (let n = 0; n < 3; n++) {
      const cut = limited.core.instance.inject({ url: '/api/v1/events/export?stream=orders' });
      await expect(cut).rejects.toThrow();
    }
  });
});
