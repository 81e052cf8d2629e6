import type { BinaryOperator } from './expression-tree.js';
import { spend, spendOnText } from './budget.js';
import type { CelNumber } from './decimal.js';
import { EvaluationError } from './errors.js';
import { divided, minus, plus, remainder, times } from './numbers.js';
import {
  compare,
  Duration,
  equal,
  isList,
  isNumeric,
  isObject,
  kindOf,
  Timestamp,
  type CelValue,
} from './values.js';

/** Implementation of a binary CEL operator; `at` is its position in the text. */
type BinaryOperatorFunction = (a: CelValue, b: CelValue, at: number) => CelValue;

/** Implementations of all binary CEL operators except `&&` and `||`, which may leave one side unevaluated. */
export type BinaryOperatorFunctions = Readonly<
  Record<Exclude<BinaryOperator, '&&' | '||'>, BinaryOperatorFunction>
>;

export const operators: BinaryOperatorFunctions = {
  '==': (a, b) => equal(a, b),
  '!=': (a, b) => !equal(a, b),
  '<': (a, b, at) => compare(a, b, at) < 0,
  '<=': (a, b, at) => compare(a, b, at) <= 0,
  '>': (a, b, at) => compare(a, b, at) > 0,
  '>=': (a, b, at) => compare(a, b, at) >= 0,
  in: contains,
  '+': add,
  '-': subtract,
  '*': onNumbers('*', times),
  '/': onNumbers('/', divided),
  '%': onNumbers('%', remainder),
};

/**
 * The operators of a `where`. `==`, `!=` and `in` fail if they compare lists or objects, and `+` fails for two lists: their
 * SQL has no value either.
 */
export const conditionOperators: BinaryOperatorFunctions = {
  ...operators,
  '==': (a, b, at) => equal(...notTwoContainers([a, b], at)),
  '!=': (a, b, at) => !equal(...notTwoContainers([a, b], at)),
  in: (item, container, at) => {
    if (isContainer(item) && isList(container)) {
      for (const element of container) notTwoContainers([item, element], at);
    }
    return contains(item, container, at);
  },
  '+': (a, b, at) => add(...notTwoContainers([a, b], at, 'join lists'), at),
};

function notTwoContainers(
  sides: [CelValue, CelValue],
  at: number,
  what = 'compare lists or objects with each other',
): [CelValue, CelValue] {
  if (!isContainer(sides[0]) || !isContainer(sides[1])) return sides;
  throw new EvaluationError(`A where cannot ${what}.`, at);
}

function isContainer(value: CelValue): boolean {
  return isList(value) || isObject(value);
}

/** Evaluates `in`: whether an item of a list equals the value, or whether an object has the name. */
function contains(item: CelValue, container: CelValue, at: number): boolean {
  if (isList(container)) {
    spend(container.length);
    return container.some((element) => equal(element, item));
  }
  if (isObject(container)) return typeof item === 'string' && Object.hasOwn(container, item);
  throw new EvaluationError(`The right side of "in" cannot be a ${kindOf(container)}.`, at);
}

const addNumbers = onNumbers('+', plus);
const subtractNumbers = onNumbers('-', minus);

function add(a: CelValue, b: CelValue, at: number): CelValue {
  if (isNumeric(a)) return addNumbers(a, b, at);
  if (typeof a === 'string' && typeof b === 'string') {
    spendOnText(a.length + b.length);
    return a + b;
  }
  if (isList(a) && isList(b)) {
    spend(a.length + b.length);
    return [...a, ...b];
  }
  if (a instanceof Timestamp && b instanceof Duration) return new Timestamp(micros(a.micros + b.micros, at));
  if (a instanceof Duration && b instanceof Timestamp) return new Timestamp(micros(a.micros + b.micros, at));
  if (a instanceof Duration && b instanceof Duration) return new Duration(micros(a.micros + b.micros, at));
  return addNumbers(a, b, at);
}

function subtract(a: CelValue, b: CelValue, at: number): CelValue {
  if (isNumeric(a)) return subtractNumbers(a, b, at);
  if (a instanceof Timestamp && b instanceof Timestamp) return new Duration(micros(a.micros - b.micros, at));
  if (a instanceof Timestamp && b instanceof Duration) return new Timestamp(micros(a.micros - b.micros, at));
  if (a instanceof Duration && b instanceof Duration) return new Duration(micros(a.micros - b.micros, at));
  return subtractNumbers(a, b, at);
}

/** Returns microseconds unchanged. @throws EvaluationError beyond the exact integers of a double (285 years) */
function micros(value: number, at: number): number {
  if (Number.isSafeInteger(value)) return value;
  throw new EvaluationError('The time is out of the range of computations.', at);
}

function onNumbers(
  operator: string,
  compute: (a: CelNumber, b: CelNumber, at: number) => CelNumber,
): BinaryOperatorFunction {
  return (a, b, at) => {
    if (isNumeric(a) && isNumeric(b)) return compute(a, b, at);
    throw new EvaluationError(`${operator} has no meaning for a ${kindOf(a)} and a ${kindOf(b)}.`, at);
  };
}
