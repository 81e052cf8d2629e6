import { describe, expect, it } from 'vitest';
import type { StoredEvent } from '#event';
import { encodePage } from './event-page.js';

const event: StoredEvent = {
  event_id: '019aa4e2-7d53-7c1e-9a3e-0d6a1f0b2c11',
  stream: 'orders',
  event_type: 'order.placed',
  entity_id: 'order-17',
  version: 3,
  timestamp: '2026-11-21T04:00:00.000123Z',
  ingested_at: '2026-11-21T04:00:00.004410Z',
  data: '{"big":9007199254740993,"z":0.10,"a":"é\\u00e9"}',
  metadata: '{"source":"web"}',
  schema_version: null,
  partition: 4,
  offset: 10234,
};

describe('a page of events as JSON', () => {
  it('has the events, their number, and the cursor of the next page', () => {
    const body = text({ items: [event], nextCursor: 'abc' }, 'application/json');
    expect(JSON.parse(body)).toMatchObject({
      events: [{ event_id: event.event_id, version: 3, partition: 4, offset: 10234 }],
      count: 1,
      has_more: true,
      next_cursor: 'abc',
    });
  });

  it('says when it is the last page', () => {
    const body = text({ items: [] }, 'application/json');
    expect(JSON.parse(body)).toEqual({ events: [], count: 0, has_more: false, next_cursor: null });
  });

  it('keeps the text of data and metadata unchanged', () => {
    expect(text({ items: [event, event] }, 'application/json').split(`"data":${event.data}`)).toHaveLength(3);
  });
});

describe('a page of events as CloudEvents', () => {
  it('is a list of CloudEvents with the unchanged text of data', () => {
    const body = text({ items: [event, event], nextCursor: 'abc' }, 'application/cloudevents-batch+json');
    const attributes = {
      ...{ specversion: '1.0', id: event.event_id, source: '/api/v1/streams/orders', type: 'order.placed' },
      ...{ subject: 'order-17', time: '2026-11-21T04:00:00.000123Z', datacontenttype: 'application/json' },
    };
    const one = `${JSON.stringify(attributes).slice(0, -1)},"data":${event.data}}`;
    expect(body).toBe(`[${one},${one}]`);
  });

  it('may be empty', () => {
    expect(text({ items: [] }, 'application/cloudevents-batch+json')).toBe('[]');
  });
});

describe('a page of events as NDJSON', () => {
  it('has one event per line, and ends each line', () => {
    const body = text({ items: [event, event], nextCursor: 'abc' }, 'application/x-ndjson');
    expect(body.endsWith('}\n')).toBe(true);
    expect(
      body
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as StoredEvent).offset),
    ).toEqual([10234, 10234]);
  });

  it('puts an event that was sent over several lines on one line', () => {
    const pretty = { ...event, data: JSON.stringify({ a: 1, text: 'x\ny' }, null, 2) };
    const [line, rest] = text({ items: [pretty] }, 'application/x-ndjson').split('\n');
    expect(rest).toBe('');
    expect(JSON.parse(line!)).toMatchObject({ data: { a: 1, text: 'x\ny' } });
  });

  it('is empty without events', () => {
    expect(text({ items: [] }, 'application/x-ndjson')).toBe('');
  });
});

describe('a page of events as CSV', () => {
  it('names its columns and quotes cells by RFC 4180', () => {
    expect(text({ items: [event] }, 'text/csv').split('\r\n')).toEqual([
      'event_id,stream,event_type,entity_id,version,timestamp,ingested_at,schema_version,partition,offset,metadata,data',
      `${event.event_id},orders,order.placed,order-17,3,${event.timestamp},${event.ingested_at},,4,10234,` +
        `"{""source"":""web""}","{""big"":9007199254740993,""z"":0.10,""a"":""é\\u00e9""}"`,
      '',
    ]);
  });

  it('has empty cells for null, and line breaks inside quotes', () => {
    const odd = { ...event, entity_id: null, version: null, event_type: 'a,"b"\r\nc' };
    expect(text({ items: [odd] }, 'text/csv')).toContain(',"a,""b""\r\nc",,,');
  });
});

describe('a large page of events', () => {
  it('is sent in pieces that add up to the whole body', () => {
    const items = Array.from({ length: 2000 }, (_, offset) => ({ ...event, offset }));
    const pieces = [...encodePage({ items }, 'application/json')];
    expect(pieces.length).toBeGreaterThan(5);
    expect((JSON.parse(pieces.join('')) as { events: StoredEvent[] }).events.map((e) => e.offset)).toEqual(
      items.map((item) => item.offset),
    );
  });
});

function text(page: Parameters<typeof encodePage>[0], type: Parameters<typeof encodePage>[1]): string {
  return [...encodePage(page, type)].join('');
}
