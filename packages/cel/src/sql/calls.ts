import type { CallExpression, ExpressionTree } from '../expression-tree.js';
import { UntranslatableExpressionError } from '../errors.js';
import { Calendar, type OffsetChange } from '../calendar.js';
import type { SqlValueBinder } from './sql-table.js';
import { durationLiteral, timestampLiteral } from './literal.js';
import { computed, decimalOfText, firstOf, microsOf, withAliases, wholeNumber } from './numbers.js';
import { microsOfTimeText } from './time-text.js';
import { json, requireKind, valueOf, type SqlValue } from './sql-value.js';

type TranslateToSql = (expression: ExpressionTree) => SqlValue;

interface CallTranslation {
  call: CallExpression;
  params: SqlValueBinder;
  translate: TranslateToSql;
}

const stringTests: Record<string, (text: string, other: string) => string> = {
  startsWith: (text, other) => `startsWith(${text}, ${other})`,
  endsWith: (text, other) => `endsWith(${text}, ${other})`,
  contains: (text, other) => `(position(${text}, ${other}) > 0)`,
};

/**
 * SQL of the methods for parts of a time in UTC: months, days of the month and of the year count from 0, and days of
 * the week from 0 for Sunday.
 */
const timeParts: Record<string, (time: string) => string> = {
  getFullYear: (time) => `toYear(${time})`,
  getMonth: (time) => `toMonth(${time}) - 1`,
  getDate: (time) => `toDayOfMonth(${time})`,
  getDayOfMonth: (time) => `toDayOfMonth(${time}) - 1`,
  getDayOfWeek: (time) => `toDayOfWeek(${time}) % 7`,
  getDayOfYear: (time) => `toDayOfYear(${time}) - 1`,
  getHours: (time) => `toHour(${time})`,
  getMinutes: (time) => `toMinute(${time})`,
  getSeconds: (time) => `toSecond(${time})`,
  getMilliseconds: (time) => `toMillisecond(${time})`,
};

/** Returns an SQL condition: these microseconds are in the range of ClickHouse's DateTime64, the years 1900 to 2299. */
const isInRange = (micros: string) => `${micros} >= -2208988800000000 AND ${micros} < 10413792000000000`;
const isTime = isInRange('time');

/** Translates the call of a CEL function or method to ClickHouse SQL. */
export function callValue(call: CallExpression, params: SqlValueBinder, translate: TranslateToSql): SqlValue {
  const context = { call, params, translate };
  return call.object === null ? functionValue(context) : methodValue(call.object, context);
}

function functionValue({ call, params, translate }: CallTranslation): SqlValue {
  const [argument] = call.args;
  if (call.args.length !== 1 || !argument) throw unknown(call);
  const { at } = call;
  const text = argument.kind === 'literal' && typeof argument.value === 'string' ? argument.value : undefined;
  switch (call.name) {
    case 'has':
      return has(argument, translate);
    case 'size':
      return size(translate(argument), at);
    case 'timestamp':
      return text === undefined
        ? timestampOf(translate(argument), at)
        : timestampLiteral(text, argument.at, params);
    case 'duration':
      if (text === undefined) throw unknown(call);
      return durationLiteral(text, argument.at, params);
    case 'int':
    case 'double':
    case 'string':
      return conversion(call.name, translate(argument), at);
    case 'dyn':
      return translate(argument);
    default:
      throw unknown(call);
  }
}

function methodValue(object: ExpressionTree, { call, params, translate }: CallTranslation): SqlValue {
  const { name, args, at } = call;
  const receiver = translate(object);
  const [argument] = args;
  if (args.length === 1 && argument) {
    const test = Object.hasOwn(stringTests, name) ? stringTests[name] : undefined;
    if (test) {
      const sql = test(
        requireKind(receiver, 'string', name),
        requireKind(translate(argument), 'string', name),
      );
      return valueOf('bool', sql, at);
    }
    if (name === 'matches')
      return matches(receiver, argument, { at, maxBytes: call.maxBytes ?? 0, translate });
  }
  const part = Object.hasOwn(timeParts, name) ? timeParts[name] : undefined;
  if (part && args.length <= 1) return timePart(receiver, part, { call, params, translate });
  if (args.length > 0) throw unknown(call);
  if (name === 'size') return size(receiver, at);
  if (name === 'lowerAscii') return valueOf('string', `lower(${requireKind(receiver, 'string', name)})`, at);
  if (name === 'upperAscii') return valueOf('string', `upper(${requireKind(receiver, 'string', name)})`, at);
  throw unknown(call);
}

/** Translates a method for a part of a time, in UTC or in the time zone that is its argument. */
function timePart(
  receiver: SqlValue,
  part: (time: string) => string,
  { call: { name, args, at }, params }: CallTranslation,
): SqlValue {
  const [zone] = args;
  const value = (micros: string) => `toInt64(${part(`fromUnixTimestamp64Micro(${micros}, 'UTC')`)})`;
  const utc = { time: requireKind(receiver, 'timestamp', name) };
  const sql = zone
    ? withAliases(
        [utc, { local: `time + ${offsetIn(zone, params)}` }],
        `if(${isTime} AND ${isInRange('local')}, ${value('local')}, NULL)`,
      )
    : withAliases(utc, `if(${isTime}, ${value('time')}, NULL)`);
  return wholeNumber(sql, at);
}

/** Maximum number of time zones in a query: the first use of each one takes some 0.2 s. */
const mostZones = 2;
/** SQL of the offset in each time zone of a query, whose parameters are collected in one binder. */
const zonesOf = new WeakMap<SqlValueBinder, Map<string, string>>();

/**
 * Returns SQL for the offset in microseconds of a time zone at `time`. The offsets are those of Node.js, so that a query
 * and an evaluation in Node.js never differ, whatever zone data ClickHouse has.
 */
function offsetIn(zone: ExpressionTree, params: SqlValueBinder): string {
  if (zone.kind !== 'literal' || typeof zone.value !== 'string')
    throw new UntranslatableExpressionError('A time zone must be a literal in a query.', zone.at);
  const known = zonesOf.get(params) ?? new Map<string, string>();
  zonesOf.set(params, known);
  const sql = known.get(zone.value);
  if (sql !== undefined) return sql;
  if (known.size >= mostZones)
    throw new UntranslatableExpressionError(`A query has at most ${mostZones} time zones.`, zone.at);
  const made = offsetSql(offsetsOf(zone.value, zone.at), params);
  known.set(zone.value, made);
  return made;
}

function offsetSql(offsets: readonly OffsetChange[], params: SqlValueBinder): string {
  if (offsets.length === 1) return `toInt64(${offsets[0]!.offset * 1000})`;
  const bound = (values: readonly number[]) => params.bind('Array(Int64)', values);
  const changes = bound(offsets.map(({ at }) => at * 1000));
  const values = bound(offsets.map(({ offset }) => offset * 1000));
  return `transform(roundDown(time, ${changes}), ${changes}, ${values}, toInt64(0))`;
}

function offsetsOf(zone: string, at: number): readonly OffsetChange[] {
  try {
    return new Calendar('day', zone).allOffsets();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UntranslatableExpressionError('A time zone is written like Europe/Berlin, UTC or +05:30.', at);
  }
}

/**
 * Translates `matches`. `(?-s)` makes a dot not match line breaks, as in CEL, unlike ClickHouse's default. A text that
 * is too long is an error and is not searched.
 */
function matches(
  receiver: SqlValue,
  pattern: ExpressionTree,
  { at, maxBytes, translate }: { at: number; maxBytes: number; translate: TranslateToSql },
): SqlValue {
  if (pattern.kind !== 'literal' || typeof pattern.value !== 'string') {
    throw new UntranslatableExpressionError('The pattern of matches() must be a literal.', pattern.at);
  }
  const sql = requireKind(translate({ ...pattern, value: `(?-s)${pattern.value}` }), 'string', 'matches');
  const isShort = `length(s) <= ${maxBytes}`;
  const found = `if(${isShort}, match(if(${isShort}, assumeNotNull(s), ''), ${sql}), NULL)`;
  return valueOf('bool', withAliases({ s: requireKind(receiver, 'string', 'matches') }, found), at);
}

/** Translates `has`: false if the member, or another one on its path, is missing. A null member is present. */
function has(argument: ExpressionTree, translate: TranslateToSql): SqlValue {
  if (argument.kind !== 'member') {
    throw new UntranslatableExpressionError('has() takes a member, such as has(a.b).', argument.at);
  }
  const value = translate(argument);
  const sql = value.container || !value.isNull ? value.exists : `NOT (${value.isNull})`;
  return { at: argument.at, bool: `(${sql})`, exists: '1' };
}

function size(value: SqlValue, at: number): SqlValue {
  const cases: string[] = [];
  if (value.string !== undefined) cases.push(`isNotNull(${value.string})`, `lengthUTF8(${value.string})`);
  if (value.container) {
    const type = json('JSONType', value.container);
    cases.push(`${value.exists} AND ${type} IN ('Array', 'Object')`, json('JSONLength', value.container));
  }
  if (cases.length === 0)
    throw new UntranslatableExpressionError('size() needs a string or a list.', value.at);
  return wholeNumber(`toInt64(multiIf(${cases.join(', ')}, NULL))`, at);
}

/** Translates `timestamp()` of RFC 3339 text between the years 1900 and 2200, or of seconds since 1970. */
function timestampOf(value: SqlValue, at: number): SqlValue {
  const parts: string[] = [];
  if (value.string !== undefined) {
    parts.push(microsOfTimeText(value.string, 'parseTime'));
  }
  if (value.decimal !== undefined) {
    parts.push(withAliases({ time: microsOf(value.decimal) }, `if(${isTime}, time, NULL)`));
  }
  if (parts.length === 0)
    throw new UntranslatableExpressionError('timestamp() needs a string or a number.', at);
  return valueOf('timestamp', firstOf(parts), at);
}

const forms = {
  int: "'^[-+]?[0-9]{1,19}$'",
  double: "'^[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?$'",
};

function conversion(to: 'int' | 'double' | 'string', value: SqlValue, at: number): SqlValue {
  if (to === 'string') return text(value, at);
  const decimals: string[] = [];
  if (value.decimal !== undefined) decimals.push(to === 'int' ? `trunc(${value.decimal})` : value.decimal);
  if (value.string !== undefined) {
    const read = decimalOfText('text');
    decimals.push(withAliases({ text: value.string }, `if(match(text, ${forms[to]}), ${read}, NULL)`));
  }
  if (decimals.length === 0)
    throw new UntranslatableExpressionError('This value cannot be converted to a number.', value.at);
  const result = computed(firstOf(decimals), at);
  if (to === 'int' || value.number === undefined) return result;
  // A number remains unchanged, even if it is out of range.
  const number = `coalesce(${value.number}, ${result.number})`;
  return { ...result, number, exists: `isNotNull(${number})` };
}

function text(value: SqlValue, at: number): SqlValue {
  const parts = [
    value.string,
    value.bool && `multiIf(isNull(${value.bool}), NULL, ${value.bool}, 'true', 'false')`,
    value.decimal && `toString(${value.decimal})`,
  ];
  const sql = parts.filter((part) => part !== undefined && part !== '');
  if (sql.length === 0)
    throw new UntranslatableExpressionError('This value cannot be converted to a string.', value.at);
  return valueOf('string', `coalesce(${sql.join(', ')})`, at);
}

function unknown(call: CallExpression): UntranslatableExpressionError {
  return new UntranslatableExpressionError(
    `${call.name}() with ${call.args.length} argument(s) cannot be used in a query.`,
    call.at,
  );
}
