import type { BinaryOperator } from './expression.js';
import { spend, spendOnText } from './budget.js';
import type { Numeric } from './decimal.js';
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
  type Value,
} from './values.js';

export type Operate = (a: Value, b: Value, at: number) => Value;

/** Operators whose two sides are both always evaluated. */
export type Operators = Readonly<Record<Exclude<BinaryOperator, '&&' | '||'>, Operate>>;

export const operators: Operators = {
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

/** The same for a `where`: ClickHouse cannot compare two lists, or two objects. */
export const conditionOperators: Operators = {
  ...operators,
  '==': (a, b, at) => equal(...notTwoContainers([a, b], at)),
  '!=': (a, b, at) => !equal(...notTwoContainers([a, b], at)),
  in: (item, container, at) => {
    if (isContainer(item) && isList(container)) {
      for (const element of container) notTwoContainers([item, element], at);
    }
    return contains(item, container, at);
  },
};

function notTwoContainers(sides: [Value, Value], at: number): [Value, Value] {
  if (!isContainer(sides[0]) || !isContainer(sides[1])) return sides;
  throw new EvaluationError('Lists and objects are not compared with each other in a where.', at);
}

function isContainer(value: Value): boolean {
  return isList(value) || isObject(value);
}

/** Of a list, whether one of its items is equal; of an object, whether it is a name: those are strings. */
function contains(item: Value, container: Value, at: number): boolean {
  if (isList(container)) {
    spend(container.length);
    return container.some((element) => equal(element, item));
  }
  if (isObject(container)) return typeof item === 'string' && Object.hasOwn(container, item);
  throw new EvaluationError(`Nothing can be looked for in a ${kindOf(container)}.`, at);
}

const addNumbers = onNumbers('+', plus);
const subtractNumbers = onNumbers('-', minus);

function add(a: Value, b: Value, at: number): Value {
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

function subtract(a: Value, b: Value, at: number): Value {
  if (isNumeric(a)) return subtractNumbers(a, b, at);
  if (a instanceof Timestamp && b instanceof Timestamp) return new Duration(micros(a.micros - b.micros, at));
  if (a instanceof Timestamp && b instanceof Duration) return new Timestamp(micros(a.micros - b.micros, at));
  if (a instanceof Duration && b instanceof Duration) return new Duration(micros(a.micros - b.micros, at));
  return subtractNumbers(a, b, at);
}

/** @throws EvaluationError where they are more than a number says exactly, which is 285 years */
function micros(value: number, at: number): number {
  if (Number.isSafeInteger(value)) return value;
  throw new EvaluationError('The time is too far away to be computed with.', at);
}

/** Of two numbers. */
function onNumbers(operator: string, compute: (a: Numeric, b: Numeric, at: number) => Numeric): Operate {
  return (a, b, at) => {
    if (isNumeric(a) && isNumeric(b)) return compute(a, b, at);
    throw new EvaluationError(`${operator} has no meaning for a ${kindOf(a)} and a ${kindOf(b)}.`, at);
  };
}
