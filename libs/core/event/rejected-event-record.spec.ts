import { describe, expect, it } from 'vitest';
import { limits } from './limits.js';
import { decodeRecord, encodeRecord } from './record.js';
import { decodeRejectedEvent, encodeRejectedEvent } from './rejected-event-record.js';

const record = {
  refused: { code: 'invalid_json', detail: 'no', errors: [{ pointer: '/1', detail: 'is not valid JSON' }] },
  ...{ form: 'raw', mapping: { event_type: '/kind' }, entity_id: 'ann' },
  ...{ event_id: '019aa4e2-7d53-7c1e-9a3e-0d6a1f0b2c11', received_at: '2026-11-21T04:00:00.000000Z' },
  text: '{"kind":"\u2028ä',
};

describe('the record of a rejected event', () => {
  it('is decoded as it was encoded', () => {
    const value = encodeRejectedEvent(record);
    expect(decodeRejectedEvent(value)).toEqual({ ...record, cut: false });
    expect(decodeRejectedEvent(Buffer.from(value))).toEqual({ ...record, cut: false });
  });

  it('is not read as an event, and no event is read as one', () => {
    expect(() => decodeRecord(encodeRejectedEvent(record))).toThrow();
    const times = { timestamp: 0, ingested_at: 0 };
    const { event_id } = record;
    const event = { event_id, event_type: 't', entity_id: null, ...times, schema_version: null };
    expect(
      decodeRejectedEvent(encodeRecord({ ...event, metadata: '{}', data: '{"refused":{}}' })),
    ).toBeUndefined();
  });

  it.each(['', '{', '{"refused":', '{"refused":1,"text":""}', '{"refused":{}}', '{"refused":{},"text":1}'])(
    'is not decoded from %j',
    (text) => expect(decodeRejectedEvent(text)).toBeUndefined(),
  );

  it.each<[string, string]>([
    ['that is larger than an event', 'x'.repeat(16 * limits.eventBytes)],
    ['of characters that take six characters in JSON', '\u0001'.repeat(limits.eventBytes)],
    ['of characters of four bytes', '😀'.repeat(limits.eventBytes)],
  ])('keeps the beginning of a text %s, and sets `cut`', (...row) => {
    const value = encodeRejectedEvent({ ...record, text: row[1] });
    expect(Buffer.byteLength(value)).toBeLessThan(100_000);
    const found = decodeRejectedEvent(value)!;
    expect([found.cut, row[1].startsWith(found.text), found.text.length > 1000]).toEqual([true, true, true]);
  });

  it('keeps the whole text of an event of the largest size', () => {
    const value = encodeRejectedEvent({ ...record, text: 'ä'.repeat(limits.eventBytes / 2) });
    expect(decodeRejectedEvent(value)?.cut).toBe(false);
    expect(Buffer.byteLength(value)).toBeLessThan(2 * limits.eventBytes);
  });
});
