import type { ConsumerRecord } from '#kafka';
import { expect, it } from 'vitest';
import { sampledRequests } from './sampled-write-requests.js';

/** Returns the traceparent of a trace with this number. Flags 01 mean sampled. */
const trace = (id: number, flags = '01'): string =>
  `00-${String(id).padStart(32, '0')}-00f067aa0ba902b7-${flags}`;

function record(
  offset: number,
  traceparent: string | undefined,
  more: Partial<ConsumerRecord> = {},
): ConsumerRecord {
  const headers = {
    'x-request-id': Buffer.from(`r-${offset}`),
    ...(traceparent !== undefined && { traceparent: Buffer.from(traceparent) }),
  };
  return { topic: 't', partition: 3, offset, key: null, value: null, timestamp: 1000, headers, ...more };
}

it('finds the sampled requests, each with its first record and its number of records', () => {
  const records = [
    record(5, trace(1)),
    record(6, trace(2, '00')),
    record(7, trace(1)),
    record(8, trace(3, '03')),
    record(9, undefined),
  ];
  expect(sampledRequests(records)).toMatchObject([
    {
      ...{ traceparent: trace(1), requestId: 'r-5', topic: 't', partition: 3, offset: 5 },
      ...{ records: 2, appendedAt: 1000 },
    },
    { traceparent: trace(3, '03'), offset: 8, records: 1 },
  ]);
});

it('skips records below the first offset', () => {
  const records = [record(5, trace(1)), record(6, trace(1)), record(7, trace(2))];
  expect(sampledRequests(records, 6)).toMatchObject([{ offset: 6, records: 1 }, { offset: 7 }]);
});

it('ignores invalid traceparents', () => {
  const broken = [
    '',
    '1',
    trace(0),
    trace(1).toUpperCase().replace('00-', 'ff-'),
    `${trace(1)}1`,
    'x'.repeat(55),
  ];
  expect(sampledRequests(broken.map((text, i) => record(i, text)))).toEqual([]);
});

it('returns at most the first 16 requests', () => {
  const records = Array.from({ length: 100 }, (_, i) => record(i, trace(1 + (i % 50))));
  const found = sampledRequests(records);
  expect(found.map(({ offset }) => offset)).toEqual(Array.from({ length: 16 }, (_, i) => i));
  expect(found.every(({ records }) => records === 2)).toBe(true);
});

it('limits the time of the append to the time of the read, because clocks differ', () => {
  const [found] = sampledRequests([record(0, trace(1), { timestamp: Date.now() + 3_600_000 })]);
  expect(found!.appendedAt).toBe(found!.readAt);
});
