import { describe, expect, it } from 'vitest';
import { allStreams } from '#api';
import { parseTime } from '#json';
import type { StoredEvent } from '#event';
import { parseExpression } from '#cel';
import { LiveEvent, LiveFilter, type LiveSelection } from './live-filter.js';

const stored: StoredEvent = {
  event_id: '019aa4e2-7d53-7c1e-9a3e-0d6a1f0b2c11',
  stream: 'orders',
  event_type: 'order.placed',
  entity_id: 'order-17',
  version: 3,
  timestamp: '2026-11-21T04:00:00.000123Z',
  ingested_at: '2026-11-21T04:00:00.004410Z',
  data: '{"amount": 12.50,\r\n "big": 9007199254740993}',
  metadata: '{}',
  schema_version: null,
  partition: 4,
  offset: 10,
};
const at = (text: string) => parseTime(text) ?? NaN;
const matches = (question: Partial<LiveSelection>, event: Partial<StoredEvent> = {}) =>
  new LiveFilter({ access: allStreams, ...question }).matches(new LiveEvent({ ...stored, ...event }));

describe('the filters of live events', () => {
  it('match by type, prefix and entity', () => {
    expect(matches({})).toBe(true);
    expect(matches({ eventTypes: ['a', 'order.placed'] })).toBe(true);
    expect(matches({ eventTypes: ['a'] })).toBe(false);
    expect(matches({ eventTypePrefix: 'order.' })).toBe(true);
    expect(matches({ eventTypePrefix: 'Order.' })).toBe(false);
    expect(matches({ entityIds: ['order-17'] })).toBe(true);
    expect(matches({ entityIds: ['order-18'] })).toBe(false);
    expect(matches({ entityIds: ['order-17'] }, { entity_id: null })).toBe(false);
  });

  it('match by time to the microsecond: since is inclusive, until is exclusive', () => {
    const exactly = at('2026-11-21T04:00:00.000123Z');
    expect(matches({ since: exactly })).toBe(true);
    expect(matches({ since: exactly + 1 })).toBe(false);
    expect(matches({ until: exactly })).toBe(false);
    expect(matches({ until: exactly + 1 })).toBe(true);
  });

  it('match by an expression with exact numbers, and do not match where it has no value', () => {
    const where = (text: string) => ({ where: parseExpression(text) });
    expect(matches(where('event.data.amount * 2 > 24'))).toBe(true);
    expect(matches(where('event.data.big == 9007199254740993 && event.version == 3'))).toBe(true);
    expect(matches(where('event.data.big == 9007199254740992'))).toBe(false);
    expect(matches(where('event.data.nothing > 1'))).toBe(false);
    expect(matches(where('event.data.amount.startsWith("1")'))).toBe(false);
  });

  it('select the named streams that the access covers', () => {
    const wanted = (question: Partial<LiveSelection>) =>
      ['orders', 'orders-old', 'stock', 'tributary.audit'].filter((stream) =>
        new LiveFilter({ access: allStreams, ...question }).wants(stream),
      );
    expect(wanted({ streams: ['stock', 'orders'] })).toEqual(['orders', 'stock']);
    const access = { patterns: ['orders*'], reserved: false };
    expect(wanted({ access })).toEqual(['orders', 'orders-old']);
    expect(wanted({ access, streams: ['stock', 'orders'] })).toEqual(['orders']);
    expect(wanted({ access: { ...allStreams, reserved: false } })).not.toContain('tributary.audit');
  });

  it('have the same binding in any order, and independently of the access', () => {
    const binding = (question: Partial<LiveSelection>) =>
      new LiveFilter({ access: allStreams, ...question }).binding;
    expect(binding({ streams: ['a', 'b'] })).toBe(binding({ streams: ['b', 'a'] }));
    expect(binding({ streams: ['a'] })).not.toBe(binding({ eventTypes: ['a'] }));
    expect(binding({ where: parseExpression('1 == 1') })).not.toBe(binding({}));
    expect(binding({ access: { patterns: ['a'], reserved: false } })).toBe(binding({}));
  });
});

describe('a live event', () => {
  it('is one line, with its numbers as they were sent', () => {
    const json = new LiveEvent(stored).json('event');
    expect(json).not.toMatch(/[\r\n]/);
    expect(json).toContain('"data":{"amount": 12.50,   "big": 9007199254740993}');
  });

  it('has the same text of data as a CloudEvent', () => {
    const json = new LiveEvent(stored).json('cloudevents');
    expect(json).not.toMatch(/[\r\n]/);
    expect(json).toMatch(
      /^\{"specversion":"1.0",.*"data":\{"amount": 12.50, {3}"big": 9007199254740993\}\}$/,
    );
  });
});
