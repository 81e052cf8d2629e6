import { describe, expect, it } from 'vitest';
import { parseCondition, parseExpression, UntranslatableExpressionError, whereToSql } from '#cel';
import { storedEventVariable } from '#dataflow';
import { eventColumns } from './connection/event-conditions.js';
import { SqlParams } from './connection/sql-params.js';
import { expressions } from './where.fixture.js';

function translate(text: string) {
  const params = new SqlParams();
  return { sql: whereToSql(parseExpression(text), eventColumns, params), params: params.values };
}

describe('whereToSql', () => {
  it.each<[string, string, Record<string, unknown>]>([
    [
      'event.stream == "orders"',
      "ifNull((ifNull((substringIndex(stream, '#', 1) = {p0:String}), 0)), 0)",
      { p0: 'orders' },
    ],
    ['event.partition >= 4', 'ifNull((toInt128(partition) >= {p2:Int128}), 0)', { p0: 4, p1: '4', p2: '4' }],
    [
      'event.timestamp < timestamp("2026-11-21T04:00:00Z")',
      'ifNull((toUnixTimestamp64Micro(timestamp) < {p0:Int64}), 0)',
      { p0: 1795233600000000 },
    ],
    [
      'event.event_type.startsWith("a") && !event.stream.contains("b")',
      "ifNull((startsWith(event_type, {p0:String}) AND NOT ((position(substringIndex(stream, '#', 1), {p1:String}) > 0))), 0)",
      { p0: 'a', p1: 'b' },
    ],
    [
      'event.data.a["b"][0] == "x"',
      "ifNull(if(JSONType(readable_data, {p0:String}, {p1:String}) = 'Array' AND " +
        'JSONHas(readable_data, {p0:String}, {p1:String}, {p2:Int64}), (ifNull((' +
        "if(JSONType(readable_data, {p0:String}, {p1:String}) = 'Array' AND " +
        "JSONType(readable_data, {p0:String}, {p1:String}, {p2:Int64}) = 'String', " +
        'JSONExtractString(readable_data, {p0:String}, {p1:String}, {p2:Int64}), NULL) = {p3:String}), 0)), NULL), 0)',
      { p0: 'a', p1: 'b', p2: 1, p3: 'x' },
    ],
    ['event.entity_id == null', "ifNull((((entity_id = '') AND (1))), 0)", {}],
  ])('translates %s', (text, sql, params) => {
    expect(translate(text)).toEqual({ sql, params });
  });

  it('binds every value as a parameter: no text of the expression gets into the SQL', () => {
    const { sql } = translate(
      'event.data["\'; DROP"]["{p0:String}"] == "\' OR 1=1 --" || event.stream in ["`", "/*"] || ' +
        'event.stream.matches("x\'y") || event.data.n == 98765',
    );
    for (const part of ['DROP', 'OR 1=1', '`', '/*', "x'y", '98765']) expect(sql).not.toContain(part);
  });

  it.each<[string, number, string]>([
    ['event.nothing == 1', 6, 'members'],
    ['other == 1', 0, 'variable other'],
    ['event.data.items.exists(i, i > 1)', 0, 'exists'],
    ['event.data[event.stream] == 1', 17, 'index'],
    ['event.data[-1] == 1', 11, 'index'],
    ['event.stream > 5', 0, 'ordered'],
    ['event.timestamp.getHours("Nowhere") == 1', 25, 'Europe/Berlin'],
    ['event.timestamp.getHours(event.data.zone) == 1', 36, 'literal'],
    [
      ['UTC', 'Asia/Tokyo', 'Europe/Berlin']
        .map((zone) => `event.timestamp.getHours("${zone}") == 1`)
        .join(' && '),
      112,
      'at most 2 time zones',
    ],
    ['event.timestamp > "2026-11-21T04:00:00Z"', 0, 'timestamp('],
    ['event.stream == 5', 0, 'never be of one type'],
    ['event.stream', 6, 'bool'],
    ['event.stream && true', 6, 'bool'],
    ['event.data.a == [1]', 16, 'list'],
    ['event.stream in event.event_type', 22, 'list'],
    ['event.stream.matches(event.event_type)', 27, 'must be a literal'],
    ['timestamp("tomorrow") < event.timestamp', 10, 'RFC 3339'],
    ['duration("soon") < duration("1s")', 9, 'duration'],
    ['event.stream.reverse() == "x"', 0, 'reverse'],
    ['has(event["data"])', 4, 'has'],
    ['event.data.constructor() == 1', 0, 'constructor'],
  ])('reports the untranslatable part of %s', (text, at, part) => {
    const error = refusal(text);
    expect(error).toBeInstanceOf(UntranslatableExpressionError);
    expect((error as UntranslatableExpressionError).message).toContain(part);
    expect((error as UntranslatableExpressionError).at).toBe(at);
  });

  it.each(expressions)('%s is also accepted by parseCondition', (text) => {
    expect(parseCondition(text, storedEventVariable)).toEqual(parseExpression(text));
  });

  it('rejects an expression whose SQL would be too large', () => {
    const nested = Array.from({ length: 12 }).reduce<string>(
      (inner) => `((${inner}) == "a" ? event.data.a : event.data.b)`,
      'event.data.c',
    );
    expect(refusal(`${nested} == "x"`)).toMatchObject({ message: 'The expression is too complex.' });
  });
});

function refusal(text: string): unknown {
  try {
    return translate(text);
  } catch (error) {
    return error;
  }
}
