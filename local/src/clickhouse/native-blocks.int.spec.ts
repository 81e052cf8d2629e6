import { describe, expect, it } from 'vitest';
import { askClickHouse, testEngines } from '#testkit';
import { nativeBlocks } from './native-blocks.js';

async function native(query: string, version?: number): Promise<Buffer> {
  const parameters = {
    default_format: 'Native',
    ...(version && { client_protocol_version: String(version) }),
  };
  const search = new URLSearchParams(parameters).toString();
  const answer = await askClickHouse(testEngines(), query, `?${search}`);
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect(answer.status, bytes.toString()).toBe(200);
  return bytes;
}

const expressions = [
  'toUInt8(number)',
  'toString(number)',
  "repeat('x', number * 100)",
  'toFixedString(toString(number), 3)',
  'generateUUIDv4(number)',
  'toDecimal32(number, 2), toDecimal64(number, 2), toDecimal128(number, 2), toDecimal256(number, 2)',
  "toDate(number), toDate32(number), toDateTime(number), toDateTime64(number, 6, 'UTC')",
  'if(number % 2 = 0, NULL, toString(number)), if(number % 2 = 0, NULL, toInt64(number))',
  'toLowCardinality(toString(number % 3)), toLowCardinality(toNullable(toString(number % 3)))',
  'toLowCardinality(toString(number * 1000))',
  'range(number), arrayMap(x -> toString(x), range(number))',
  'arrayMap(x -> range(x), range(number))',
  'arrayMap(x -> toLowCardinality(toString(x)), range(number))',
  "map('a', number, 'b', 2), map(toString(number), [number])",
  "tuple(number, 'x'), CAST((number, 'x'), 'Tuple(a UInt8, `b c` String)'), tuple(toLowCardinality('x'), 1)",
  "CAST(number % 2, 'Enum8(\\'a, (\\' = 0, \\'b\\' = 1)'), true, toIPv4('1.2.3.4'), toIPv6('::1')",
  "INTERVAL number DAY, [], NULL, CAST([(1, 'x')], 'Nested(a UInt8, b String)')",
];

describe('the format Native of the embedded ClickHouse', () => {
  it.each(expressions)('has the form of a protocol version, given the columns %s', async (expression) => {
    for (const rows of [0, 1, 300]) {
      const query = `SELECT ${expression} FROM numbers(${rows}) ORDER BY number SETTINGS max_block_size = 1000`;
      const oldest = await native(query);
      const converted = await native(query, 54_460);
      const columns = oldest.length === 0 ? 0 : oldest.readUInt8(0);
      // Some answers end with an empty block.
      const blocks = (converted.length - oldest.length) / (8 + columns);
      expect(Number.isInteger(blocks) && blocks >= Math.min(rows, 1)).toBe(true);
      if (blocks === 0) continue;
      expect(converted.subarray(0, 10)).toEqual(
        Buffer.concat([Buffer.from([1, 0, 2, 255, 255, 255, 255, 0]), oldest.subarray(0, 2)]),
      );
      expect((await native(query, 54_405)).length - oldest.length).toBe(8 * blocks);
    }
  });

  it('is an error for a type whose values have no known length', async () => {
    const state = await native('SELECT uniqState(number) FROM numbers(10)');
    expect(() => nativeBlocks(state, 54_460)).toThrow('does not support client_protocol_version');
  });
});
