import type { SqlValue } from './sql-value.js';

/*
 * Numbers are computed as Decimal(76, 36), which represents all numbers of computations (39 digits before the point, 36
 * after it). NULL stands for a number out of that range, as for every error in CEL. No SQL here may throw in
 * ClickHouse, because that would fail the whole query. Each SQL function therefore receives numbers that it accepts,
 * also in rows whose result is NULL.
 */

/** An arithmetic operator of CEL. */
export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%';

const places = 36;
const zero = `toDecimal256(0, ${places})`;
const one = `toDecimal256(1, ${places})`;
const tooLarge = `toDecimal256('1e39', ${places})`;
/** The limit of a Decimal with 36 places, with a margin for the error of doubles. */
const mostRoughly = '5e39';

/**
 * Returns SQL for `body` with names for values that it uses several times: without them, the SQL would grow with each
 * use. Each set of values may use the names of the sets before it.
 */
export function withAliases(
  values: Readonly<Record<string, string>> | readonly Readonly<Record<string, string>>[],
  body: string,
): string {
  return [values].flat().reduceRight((inner, set) => {
    const given = Object.values(set).map((value) => `[${value}]`);
    return `arrayMap((${Object.keys(set).join(', ')}) -> ${inner}, ${given.join(', ')})[1]`;
  }, body);
}

/** Returns SQL for the decimal of a text that is a JSON number or similar; NULL if it is out of range. */
export function decimalOfText(text: string): string {
  const plain = `length(t) <= ${places} AND NOT match(t, '[eE]')`;
  return withAliases({ t: text }, `if(${plain}, toDecimal256OrNull(t, ${places}), ${longDecimal('t')})`);
}

/** Returns the same for a number of any length, with an exponent of any size. */
function longDecimal(text: string): string {
  const value =
    `multiIf(digits = '', ${zero}, scale > ${places} OR length(digits) - scale > 39, NULL, ` +
    `toDecimal256OrNull(concat(sign, digits, 'e', toString(-scale)), ${places}))`;
  const scaled = {
    digits: "trim(BOTH '0' FROM written)",
    scale: "fraction - power - (length(written) - length(trim(TRAILING '0' FROM written)))",
  };
  const power = "if(exponent = '', toInt64(0), toInt64OrDefault(exponent, toInt64(1000000)))";
  const read = {
    written: "replaceAll(mantissa, '.', '')",
    fraction: "toInt64(length(extract(mantissa, '[.](.*)$')))",
    power: `greatest(least(${power}, 1000000), -1000000)`,
  };
  const parts = {
    sign: `if(startsWith(${text}, '-'), '-', '')`,
    mantissa: `extract(${text}, '^[-+]?([0-9.]*)')`,
    exponent: `extract(${text}, '[eE](.*)$')`,
  };
  return withAliases([parts, read, scaled], value);
}

/** Returns the SQL value of a number that is the result of a computation on decimals. */
export function computed(decimal: string, at: number): SqlValue {
  return { at, decimal, number: doubleOf(decimal), isComputed: true, exists: `isNotNull(${decimal})` };
}

/** Returns the value of a ClickHouse integer that is always in range, such as a count. */
export function wholeNumber(sql: string, at: number): SqlValue {
  return { ...columnNumber(sql), at, exists: `isNotNull(${sql})` };
}

/** Returns an integer column's value as a double, an integer and a decimal; the caller adds `exists`. */
export function columnNumber(sql: string): Pick<SqlValue, 'number' | 'integer' | 'decimal'> {
  return {
    number: `toFloat64(${sql})`,
    integer: `toInt128(${sql})`,
    decimal: `toDecimal256(${sql}, ${places})`,
  };
}

/** Returns SQL for the double nearest to a decimal. */
export function doubleOf(decimal: string): string {
  return `toFloat64OrNull(toString(${decimal}))`;
}

/** Returns SQL for an operation on two decimals, with the results of `numbers.ts`. */
export function decimalOperation(operator: ArithmeticOperator, x: string, y: string): string {
  const bothSides = { x: `ifNull(a, ${zero})`, y: `ifNull(b, ${zero})` };
  const { possible, result } = operations[operator];
  return withAliases(
    [{ a: x, b: y }, bothSides, { possible }, { r: result }],
    `if(isNull(a) OR isNull(b) OR NOT possible OR abs(r) >= ${tooLarge}, NULL, r)`,
  );
}

interface DecimalOperationSql {
  /** SQL that is true if the operation has a result, approximately in range. */
  possible: string;
  /** SQL for the result; any value if `possible` is false. */
  result: string;
}

/*
 * Products and quotients are computed on whole units of 10 ** -36, as Int256, in parts that do not overflow, because
 * ClickHouse's own multiplyDecimal and divideDecimal take 300 µs for one number.
 */
const units = (decimal: string) => `reinterpretAsInt256(${decimal})`;
const decimalOfUnits = (units: string) => `reinterpret(${units}, 'Decimal(76, ${places})')`;
const whole = `toInt256('1${'0'.repeat(places)}')`;
const half = `toInt256('1${'0'.repeat(places / 2)}')`;
const largestDivisor = `toDecimal256('1e21', ${places})`;

/** (a + b / 10 ** 36) × (c + d / 10 ** 36), cut off after 36 places. All parts have the sign of their number. */
const product = withAliases(
  [
    { u: units('x'), v: units('y') },
    { p: `intDiv(u, ${whole})`, q: `intDiv(v, ${whole})` },
    { s: `u - p * ${whole}`, t: `v - q * ${whole}` },
  ],
  decimalOfUnits(`p * q * ${whole} + p * t + s * q + intDiv(s * t, ${whole})`),
);

/** SQL for the quotient of two decimals, by long division in two halves of 18 decimal places. */
const quotient = withAliases(
  [
    { u: units('x'), v: `if(possible, ${units('y')}, ${whole})` },
    { p: 'intDiv(u, v)' },
    { s: `(u - p * v) * ${half}` },
    { q: 'intDiv(s, v)' },
    { t: `(s - q * v) * ${half}` },
    { w: 'intDiv(t, v)' },
    { quotient: `p * ${whole} + q * ${half} + w` },
  ],
  `if(w * v = t, ${decimalOfUnits('quotient')}, ${nearest('quotient')})`,
);

/** Returns SQL for the double nearest to a cut-off quotient; see `nearestQuotient` for the appended digit. */
function nearest(quotient: string): string {
  const double = `toFloat64OrNull(concat(toString(${quotient}), '1e-${places + 1}'))`;
  return `toDecimal256OrNull(toString(${double}), ${places})`;
}

const operations: Record<ArithmeticOperator, DecimalOperationSql> = {
  '+': { possible: '1', result: 'x + y' },
  '-': { possible: '1', result: 'x - y' },
  '*': { possible: `abs(toFloat64(x) * toFloat64(y)) < ${mostRoughly}`, result: product },
  '/': {
    possible: `y != ${zero} AND abs(y) < ${largestDivisor} AND abs(toFloat64(x) / toFloat64(y)) < ${mostRoughly}`,
    result: quotient,
  },
  '%': { possible: `y != ${zero}`, result: `modulo(x, if(y = ${zero}, ${one}, y))` },
};

/** Returns SQL for a number of seconds in microseconds, rounded to the nearest one; halves are rounded up. */
export function microsOf(seconds: string): string {
  const isNear = `abs(s) < toDecimal256('1e11', ${places})`;
  const micros = `toInt64(floor(if(${isNear}, s, ${zero}) * 1000000 + toDecimal256('0.5', ${places})))`;
  return withAliases(
    [{ n: seconds }, { s: `ifNull(n, ${zero})` }],
    `if(isNull(n) OR NOT (${isNear}), NULL, ${micros})`,
  );
}

/** Returns SQL for the first of the values that is not NULL. */
export function firstOf(values: readonly string[]): string {
  return values.length === 1 ? (values[0] as string) : `coalesce(${values.join(', ')})`;
}
