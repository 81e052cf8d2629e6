import type { Expression } from '#contracts';
import { UntranslatableExpressionError } from '../../errors.js';
import type { Params } from '../params.js';
import { durationLiteral, timestampLiteral } from './literal.js';
import { json, need, valueOf, type Value } from './value.js';

type Call = Extract<Expression, { kind: 'call' }>;
export type Translate = (expression: Expression) => Value;

interface Context {
  call: Call;
  params: Params;
  translate: Translate;
}

/** Tests of strings, as methods. */
const stringTests: Record<string, (text: string, other: string) => string> = {
  startsWith: (text, other) => `startsWith(${text}, ${other})`,
  endsWith: (text, other) => `endsWith(${text}, ${other})`,
  contains: (text, other) => `(position(${text}, ${other}) > 0)`,
};

/** Parts of a time in UTC, counted as CEL counts them: months, days of month and of year from 0, Sunday is 0. */
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

/** A function or a method. */
export function callValue(call: Call, params: Params, translate: Translate): Value {
  const context = { call, params, translate };
  return call.object === null ? functionValue(context) : methodValue(call.object, context);
}

function functionValue({ call, params, translate }: Context): Value {
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

function methodValue(object: Expression, { call, translate }: Context): Value {
  const { name, args, at } = call;
  const receiver = translate(object);
  const [argument] = args;
  if (args.length === 1 && argument) {
    const test = Object.hasOwn(stringTests, name) ? stringTests[name] : undefined;
    if (test) {
      const sql = test(need(receiver, 'string', name), need(translate(argument), 'string', name));
      return valueOf('bool', sql, at);
    }
    if (name === 'matches') return matches(receiver, argument, { at, translate });
  }
  if (args.length > 0) throw unknown(call);
  if (name === 'size') return size(receiver, at);
  if (name === 'lowerAscii') return valueOf('string', `lower(${need(receiver, 'string', name)})`, at);
  if (name === 'upperAscii') return valueOf('string', `upper(${need(receiver, 'string', name)})`, at);
  const part = Object.hasOwn(timeParts, name) ? timeParts[name] : undefined;
  if (!part) throw unknown(call);
  const time = `fromUnixTimestamp64Micro(${need(receiver, 'timestamp', name)}, 'UTC')`;
  return valueOf('number', `toFloat64(${part(time)})`, at);
}

/** `(?-s)`: in CEL a dot stops at line breaks; in ClickHouse it does not unless told so. */
function matches(
  receiver: Value,
  pattern: Expression,
  { at, translate }: { at: number; translate: Translate },
): Value {
  if (pattern.kind !== 'literal' || typeof pattern.value !== 'string') {
    throw new UntranslatableExpressionError('The pattern of matches() has to be written out.', pattern.at);
  }
  const sql = need(translate({ ...pattern, value: `(?-s)${pattern.value}` }), 'string', 'matches');
  return valueOf('bool', `match(${need(receiver, 'string', 'matches')}, ${sql})`, at);
}

/** False where the member, or one on the way to it, is missing; null is there. */
function has(argument: Expression, translate: Translate): Value {
  if (argument.kind !== 'member') {
    throw new UntranslatableExpressionError(
      'has() takes a member, such as has(event.data.amount).',
      argument.at,
    );
  }
  const value = translate(argument);
  const sql = value.container || !value.isNull ? value.exists : `NOT (${value.isNull})`;
  return { at: argument.at, bool: `(${sql})`, exists: '1' };
}

function size(value: Value, at: number): Value {
  const cases: string[] = [];
  if (value.string !== undefined) cases.push(`isNotNull(${value.string})`, `lengthUTF8(${value.string})`);
  if (value.container) {
    const type = json('JSONType', value.container);
    cases.push(`${value.exists} AND ${type} IN ('Array', 'Object')`, json('JSONLength', value.container));
  }
  if (cases.length === 0)
    throw new UntranslatableExpressionError('size() needs a string or a list.', value.at);
  return valueOf('number', `toFloat64(multiIf(${cases.join(', ')}, NULL))`, at);
}

function timestampOf(value: Value, at: number): Value {
  const text = need(value, 'string', 'timestamp()');
  const form =
    "'^\\\\d{4}-\\\\d\\\\d-\\\\d\\\\d[Tt]\\\\d\\\\d:\\\\d\\\\d:\\\\d\\\\d(\\\\.\\\\d{1,9})?([Zz]|[+-]\\\\d\\\\d:\\\\d\\\\d)$'";
  const time = `parseDateTime64BestEffortOrNull(${text}, 6, 'UTC')`;
  return valueOf('timestamp', `if(match(${text}, ${form}), toUnixTimestamp64Micro(${time}), NULL)`, at);
}

function conversion(to: 'int' | 'double' | 'string', value: Value, at: number): Value {
  if (to === 'string') {
    const parts = [
      value.string,
      value.bool && `multiIf(isNull(${value.bool}), NULL, ${value.bool}, 'true', 'false')`,
      value.integer && `toString(${value.integer})`,
      value.number && numberText(value.number),
    ];
    const sql = parts.filter((part) => part !== undefined && part !== '');
    if (sql.length === 0) throw new UntranslatableExpressionError('This cannot become a string.', value.at);
    return valueOf('string', `coalesce(${sql.join(', ')})`, at);
  }
  const form =
    to === 'int' ? "'^[+-]?[0-9]{1,19}$'" : "'^[+-]?([0-9]+(\\\\.[0-9]*)?|\\\\.[0-9]+)([eE][+-]?[0-9]+)?$'";
  const parts: string[] = [];
  if (value.number !== undefined) parts.push(to === 'int' ? `trunc(${value.number})` : value.number);
  if (value.string !== undefined) {
    parts.push(`if(match(${value.string}, ${form}), toFloat64OrNull(${value.string}), NULL)`);
  }
  if (parts.length === 0) throw new UntranslatableExpressionError('This cannot become a number.', value.at);
  return valueOf('number', parts.length === 1 ? (parts[0] as string) : `coalesce(${parts.join(', ')})`, at);
}

/** As JavaScript writes it: `1e+21` where ClickHouse writes `1e21`, and `0` for negative zero. */
function numberText(number: string): string {
  return `replaceRegexpOne(toString(${number} + 0), 'e([0-9])', 'e+\\\\1')`;
}

function unknown(call: Call): UntranslatableExpressionError {
  return new UntranslatableExpressionError(
    `${call.name}() with ${call.args.length} argument(s) cannot be used in a query.`,
    call.at,
  );
}
