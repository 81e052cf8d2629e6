import { doubles, type Arithmetic } from './arithmetic.js';
import { numeric, powerOfTen, readDecimal, scaled, scaledText, unitsAt } from './decimal.js';
import type { Numeric, Scaled } from './decimal.js';
import { EvaluationError } from './errors.js';
import { quotient } from './quotient.js';
import { smallProduct, smallSum } from './small-decimal.js';
import { isNumeric, kindOf, outOfBounds, Timestamp, type Value } from './values.js';

/**
 * Numbers as the decimals that were sent, of any size: 0.1 + 0.2 is 0.3, and 9007199254740993 is itself. Sums,
 * differences, products and remainders are exact; what `quotient` says holds for quotients. Numbers with more than 308
 * digits before or 400 after the point are an error.
 */
export const exact: Arithmetic = {
  operators: {
    ...doubles.operators,
    '+': onNumbers('+', plus),
    '-': onNumbers('-', (a, b, at) => plus(a, minus(b, at), at)),
    '*': onNumbers('*', times),
    '/': onNumbers('/', divided),
    '%': onNumbers('%', remainder),
  },
  functions: {
    ...doubles.functions,
    'int/1': ([value], at) => toInt(value as Value, at),
    'double/1': ([value], at) => toDouble(value as Value, at),
    'string/1': (args, at) => {
      const [value] = args;
      if (isNumeric(value as Value) && typeof value !== 'number')
        return scaledText(inBounds(value as Numeric, at));
      return doubles.functions['string/1']!(args, at);
    },
  },
  negate: (value, at) => (isNumeric(value) ? minus(value, at) : doubles.negate(value, at)),
};

type Compute = (a: Numeric, b: Numeric, at: number) => Numeric;

/** Other kinds of values, and the errors, are the same in both arithmetics. */
function onNumbers(operator: '+' | '-' | '*' | '/' | '%', compute: Compute) {
  const otherwise = doubles.operators[operator];
  return (a: Value, b: Value, at: number): Value =>
    isNumeric(a) && isNumeric(b) ? compute(a, b, at) : otherwise(a, b, at);
}

function plus(a: Numeric, b: Numeric, at: number): Numeric {
  const small = typeof a === 'number' && typeof b === 'number' ? smallSum(a, b) : undefined;
  if (small !== undefined) return small;
  const [x, y] = [inBounds(a, at), inBounds(b, at)];
  const scale = Math.max(x.scale, y.scale);
  return made({ units: unitsAt(x, scale) + unitsAt(y, scale), scale }, at);
}

function minus(value: Numeric, at: number): Numeric {
  if (typeof value === 'number' || typeof value === 'bigint') return -value;
  const { units, scale } = inBounds(value, at);
  return made({ units: -units, scale }, at);
}

function times(a: Numeric, b: Numeric, at: number): Numeric {
  const small = typeof a === 'number' && typeof b === 'number' ? smallProduct(a, b) : undefined;
  if (small !== undefined) return small;
  const [x, y] = [inBounds(a, at), inBounds(b, at)];
  return made({ units: x.units * y.units, scale: x.scale + y.scale }, at);
}

function divided(a: Numeric, b: Numeric, at: number): Numeric {
  const [x, y] = [inBounds(a, at), divisor(b, at)];
  const value = quotient(x, y);
  return value === Infinity || value === -Infinity ? outOfBounds(at) : value;
}

/** With the sign of the dividend, as in JavaScript. */
function remainder(a: Numeric, b: Numeric, at: number): Numeric {
  const [x, y] = [inBounds(a, at), divisor(b, at)];
  const scale = Math.max(x.scale, y.scale);
  return made({ units: unitsAt(x, scale) % unitsAt(y, scale), scale }, at);
}

function divisor(value: Numeric, at: number): Scaled {
  const divisor = inBounds(value, at);
  if (divisor.units === 0n) throw new EvaluationError('Division by zero.', at);
  return divisor;
}

function toInt(value: Value, at: number): Numeric {
  if (typeof value === 'number') return Math.trunc(value);
  if (value instanceof Timestamp) return Math.floor(value.micros / 1_000_000);
  if (typeof value === 'string' && /^[+-]?[0-9]{1,19}$/.test(value)) return read(value, at);
  if (!isNumeric(value)) throw new EvaluationError(`This ${kindOf(value)} is not a number.`, at);
  const { units, scale } = inBounds(value, at);
  return made({ units: units / powerOfTen(scale), scale: 0 }, at);
}

/** Nothing is rounded: the decimal that the text says. */
function toDouble(value: Value, at: number): Numeric {
  if (isNumeric(value)) return value;
  const form = /^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$/;
  if (typeof value === 'string' && form.test(value)) return read(value, at);
  throw new EvaluationError(`This ${kindOf(value)} is not a number.`, at);
}

function read(text: string, at: number): Numeric {
  return made(readDecimal(text) ?? outOfBounds(at), at);
}

function inBounds(value: Numeric, at: number): Scaled {
  return scaled(value) ?? outOfBounds(at);
}

function made(value: Scaled, at: number): Numeric {
  return numeric(value) ?? outOfBounds(at);
}
