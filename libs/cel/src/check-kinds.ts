import type { BinaryOperator, ExpressionTree } from './expression-tree.js';
import { InvalidCelExpressionError } from './errors.js';
import { functionKinds, methodKinds } from './function-signatures.js';
import { anyKind, kindsOf, kinds, namesOfKinds, type KindSet } from './kinds.js';
import { isMacro } from './macros.js';

const { boolean, number, string, list, object, timestamp, duration } = kinds;
const none = kinds.null;

/** The members of an event as the log has it, without a version, with the kinds of values that each may have. */
const eventKinds: Readonly<Record<string, KindSet>> = {
  event_id: string,
  stream: string,
  event_type: string,
  entity_id: string | none,
  timestamp,
  ingested_at: timestamp,
  data: object,
  metadata: object,
  schema_version: number | none,
  partition: number,
  offset: number,
};

/** The members of a stored event, including its version, with the kinds of values that each may have. */
export const storedEventKinds = { ...eventKinds, version: number | none };

/**
 * Returns the kinds of values that a CEL expression on `event` may have.
 * @throws InvalidCelExpressionError if a part of it has no value for any event, whatever its `data` and `metadata` contain: an
 *   unknown member, or an operator or function on a kind of value that it does not accept
 */
export function checkKinds(
  expression: ExpressionTree,
  members: Readonly<Record<string, KindSet>> = eventKinds,
): KindSet {
  return check(expression, { names: ['event'], members });
}

/**
 * The names of the variables that a sub-expression may use, the innermost last. `event` is the event unless a macro
 * variable has the same name.
 */
interface KindScope {
  names: readonly string[];
  /** The members of the event, with their possible kinds. */
  members: Readonly<Record<string, KindSet>>;
}

function check(expression: ExpressionTree, scope: KindScope): KindSet {
  const { at } = expression;
  switch (expression.kind) {
    case 'literal':
      return kindsOf(expression.value);
    case 'list':
      for (const item of expression.items) check(item, scope);
      return list;
    case 'map':
      for (const [key, value] of expression.entries) {
        need(key, string, scope);
        check(value, scope);
      }
      return object;
    case 'variable':
      return isEvent(expression, scope) ? object : anyKind;
    case 'member':
      return member(expression, scope);
    case 'index':
      if (expression.index.kind === 'literal' && isEvent(expression.object, scope)) {
        return eventMember(String(expression.index.value), expression.at, scope);
      }
      need(expression.object, list | object, scope);
      need(expression.index, number | string, scope);
      return anyKind;
    case 'unary':
      return need(expression.operand, expression.operator === '!' ? boolean : number, scope);
    case 'binary':
      return binary(expression.operator, [check(expression.left, scope), check(expression.right, scope)], at);
    case 'conditional':
      need(expression.test, boolean, scope);
      return check(expression.then, scope) | check(expression.else, scope);
    case 'call':
      return isMacro(expression) ? macro(expression, scope) : call(expression, scope);
  }
}

/**
 * Returns those of the wanted kinds that the value of an expression may have. @throws InvalidCelExpressionError if it can have
 * none of them
 */
function need(expression: ExpressionTree, wanted: KindSet, scope: KindScope): KindSet {
  const found = check(expression, scope);
  if (found & wanted) return found & wanted;
  const detail = `This is ${namesOfKinds(found)}, but ${namesOfKinds(wanted)} is needed.`;
  throw new InvalidCelExpressionError(detail, expression.at);
}

function isEvent(expression: ExpressionTree, { names }: KindScope): boolean {
  return expression.kind === 'variable' && expression.name === 'event' && names.lastIndexOf('event') === 0;
}

function member(expression: Extract<ExpressionTree, { kind: 'member' }>, scope: KindScope): KindSet {
  if (!isEvent(expression.object, scope)) {
    need(expression.object, object, scope);
    return anyKind;
  }
  return eventMember(expression.name, expression.at, scope);
}

function eventMember(name: string, at: number, { members }: KindScope): KindSet {
  if (Object.hasOwn(members, name)) return members[name] as KindSet;
  if (name === 'version') {
    throw new InvalidCelExpressionError(
      'event.version cannot be used here: the version is assigned when the event is stored.',
      at,
    );
  }
  const names = Object.keys(members).join(', ');
  const detail = `An event has no member ${name}; the sent data is in event.data. Its members are ${names}.`;
  throw new InvalidCelExpressionError(detail, at);
}

type OperandKinds = readonly [KindSet, KindSet];

/** For each binary CEL operator, the kinds that its two sides may have, and the kind of its result. */
const operatorKinds: Partial<Record<BinaryOperator, readonly (readonly [KindSet, KindSet, KindSet])[]>> = {
  '&&': [[boolean, boolean, boolean]],
  '||': [[boolean, boolean, boolean]],
  in: [
    [anyKind, list, boolean],
    [string, object, boolean],
  ],
  '+': [
    [number, number, number],
    [string, string, string],
    [list, list, list],
    [timestamp, duration, timestamp],
    [duration, timestamp, timestamp],
    [duration, duration, duration],
  ],
  '-': [
    [number, number, number],
    [timestamp, timestamp, duration],
    [timestamp, duration, timestamp],
    [duration, duration, duration],
  ],
  '*': [[number, number, number]],
  '/': [[number, number, number]],
  '%': [[number, number, number]],
};

const ordered = [number, string, timestamp, duration].map((kind) => [kind, kind, boolean] as const);

function binary(operator: BinaryOperator, [left, right]: OperandKinds, at: number): KindSet {
  if (operator === '==' || operator === '!=') return boolean;
  let gives = 0;
  for (const [a, b, result] of operatorKinds[operator] ?? ordered) if (a & left && b & right) gives |= result;
  if (gives) return gives;
  const sides = `${namesOfKinds(left)} and ${namesOfKinds(right)}`;
  const mixed = left | right;
  const hint = mixed === (timestamp | string) ? ' Write a time as timestamp("…").' : '';
  throw new InvalidCelExpressionError(`${operator} has no meaning for ${sides}.${hint}`, at);
}

type CallExpression = Extract<ExpressionTree, { kind: 'call' }>;

function macro({ name, object: receiver, args }: CallExpression, scope: KindScope): KindSet {
  const [first, body] = args;
  if (receiver === null) {
    if (first) check(first, scope);
    return boolean;
  }
  need(receiver, list | object, scope);
  const inner = { ...scope, names: [...scope.names, first?.kind === 'variable' ? first.name : ''] };
  if (name === 'map') check(body as ExpressionTree, inner);
  else need(body as ExpressionTree, boolean, inner);
  return name === 'map' || name === 'filter' ? list : boolean;
}

function call({ name, object: receiver, args }: CallExpression, scope: KindScope): KindSet {
  const parts = [...(receiver ? [receiver] : []), ...args];
  const table = receiver ? methodKinds : functionKinds;
  const signature = table[`${name}/${parts.length}`];
  if (!signature) return anyKind;
  parts.forEach((part, i) => need(part, signature.takes[i] as KindSet, scope));
  return signature.gives;
}
