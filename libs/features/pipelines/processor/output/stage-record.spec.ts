import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { watermarkRecords, encodeRepartitionedEvent, readStageRecord } from './stage-record.js';

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('[', ']{}', '12[0]', '"\\"', '🎉', ''),
);
const number = fc.maxSafeInteger();
const json = fc.dictionary(text, fc.oneof(text, fc.integer())).map((object) => JSON.stringify(object));
const forwarded = fc.record({
  ...{ source: text, offset: number, index: number, watermark: number },
  ...{ stream: text, partition: fc.nat(), at: number, path: text, event_id: text, event_type: text },
  ...{ entity_id: fc.option(text), timestamp: number, ingested_at: number },
  ...{ schema_version: fc.option(fc.nat()), metadata: json, data: json },
});

const values = fc.array(
  fc.oneof(
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
    fc.boolean(),
    fc.constant(null),
  ),
);

const record = (key: string, value: string | null) => ({
  ...{ topic: 't', partition: 0, offset: 0, timestamp: 0, headers: {} },
  ...{ key: Buffer.from(key), value: value === null ? null : Buffer.from(value) },
});

describe('A record of a stage topic', () => {
  it('is decoded to the event that was encoded, for any event', () => {
    fc.assert(
      fc.property(forwarded, fc.option(values, { nil: undefined }), text, (made, values, key) => {
        const { source, offset, index, watermark, at, path, ...rest } = made;
        const { stream, partition } = rest;
        const flow = { event: { ...rest, offset: at }, origin: { stream, partition, offset: at, path } };
        const wanted = { source, offset, index, path, watermark, flow, values };
        expect(readStageRecord(record(key, encodeRepartitionedEvent(wanted)))).toEqual({
          key,
          forwarded: wanted,
        });
      }),
    );
  });

  it('with a watermark is written to each partition', () => {
    const control = { source: 'orders/1', next: 17, watermark: -5, idle: true };
    const records = watermarkRecords('t', 3, control);
    expect(records.map(({ partition }) => partition)).toEqual([0, 1, 2]);
    expect(readStageRecord(record('orders/1', records[2]!.value))).toEqual({ control });
  });

  it.each([
    null,
    '',
    '{}',
    '[1]',
    '[0]',
    '9[0]{}{}',
    '3[0]',
    '99[',
    'x[0]{}{}',
    '[2,"s",1,1,false]',
    '3[1]{}{}',
  ])('that no processor has written is not decoded: %s', (value) => {
    expect(readStageRecord(record('k', value))).toBeUndefined();
  });
});
