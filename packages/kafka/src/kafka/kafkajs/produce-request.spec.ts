import { createRequire } from 'node:module';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { PartitionRecords } from '../produce/partition-records.js';
import { produceRequest } from './produce-request.js';

type Request = Parameters<typeof produceRequest>[0];

const original = createRequire(import.meta.url)(
  'kafkajs/src/protocol/requests/produce/v3/request',
) as Request;
const ours = produceRequest(original);

/** Texts as kafkajs passes them on. A value is never undefined; a key may be. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ minLength: 100, maxLength: 400 }),
  fc.constantFrom('', '\ud800', 'ž', '🐎', '\u0000'),
);
const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
const header = fc.oneof(text, bytes);
const record = fc.record(
  {
    key: fc.oneof(text, bytes, fc.constant(null)),
    value: fc.oneof(text, bytes, fc.constant(null)),
    headers: fc.dictionary(
      fc.string({ minLength: 1, maxLength: 20 }),
      fc.oneof(header, fc.array(header, { maxLength: 3 })),
      {
        maxKeys: 4,
        noNullPrototype: true,
      },
    ),
    // All timestamps have the same number of digits, because kafkajs sorts them as texts.
    timestamp: fc.integer({ min: 1_600_000_000_000, max: 1_799_999_999_999 }),
  },
  { requiredKeys: ['value', 'timestamp'] },
);
const request = fc.record({
  acks: fc.constant(-1),
  timeout: fc.integer({ min: 0, max: 60_000 }),
  producerId: fc.oneof(fc.integer({ min: 0, max: 1_000_000 }), fc.constant('9007199254740993')),
  producerEpoch: fc.integer({ min: 0, max: 32_767 }),
  topicData: fc.array(
    fc.record({
      topic: fc.string({ minLength: 1, maxLength: 30 }),
      partitions: fc.array(
        fc.record({
          partition: fc.nat(1000),
          firstSequence: fc.nat(),
          messages: fc.array(record, { minLength: 1, maxLength: 20 }),
        }),
        { maxLength: 4 },
      ),
    }),
    { maxLength: 3 },
  ),
});

describe('the encoding of a Produce request', () => {
  beforeAll(() => void vi.useFakeTimers({ now: 1_750_000_000_000, toFake: ['Date'] }));
  afterAll(() => void vi.useRealTimers());

  it('equals the encoding of kafkajs byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(request, async (options) => {
        const theirs = (await original(options).encode()).buffer;
        expect((await ours(options as never).encode()).buffer.equals(theirs)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('stamps records without a timestamp with the current time, as kafkajs does', async () => {
    const messages = Array.from({ length: 300 }, (_, i) => ({ key: `k${i}`, value: `{"n":${i},"ž":"🐎"}` }));
    const options = requestOf(messages);
    const theirs = (await original(options as never).encode()).buffer;
    expect((await ours(options as never).encode()).buffer.equals(theirs)).toBe(true);
  });

  it('accepts grouped records, and rejects them once their send is cancelled', async () => {
    const records = [{ topic: 't', key: 'k', value: 'v', headers: { a: 'b' } }];
    const send = { cancelled: false };
    const options = requestOf(new PartitionRecords(records, 1, send));
    const theirs = (await original(requestOf(records) as never).encode()).buffer;
    expect((await ours(options as never).encode()).buffer.equals(theirs)).toBe(true);
    send.cancelled = true;
    await expect(ours(options as never).encode()).rejects.toMatchObject({
      name: 'SendCancelledError',
      retriable: false,
    });
  });

  it('omits records that were already sent with another sequence number', async () => {
    const records = [{ topic: 't', key: 'k', value: 'once' }];
    const send = { cancelled: false, skipped: false };
    const messages = new PartitionRecords(records, 1, send);
    const encoded = async (firstSequence: number): Promise<Buffer> => {
      const options = requestOf(messages);
      options.topicData[0]!.partitions[0]!.firstSequence = firstSequence;
      return (await ours(options as never).encode()).buffer;
    };
    const first = await encoded(5);
    expect(first.includes('once')).toBe(true);
    expect([(await encoded(5)).equals(first), send.skipped]).toEqual([true, false]);
    expect([(await encoded(6)).includes('once'), send.skipped]).toEqual([false, true]);
  });
});

function requestOf(messages: unknown) {
  return {
    acks: -1,
    timeout: 1,
    producerId: 7,
    topicData: [{ topic: 't', partitions: [{ partition: 0, firstSequence: 5, messages }] }],
  };
}
