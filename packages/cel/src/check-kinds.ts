import type { BinaryOperator, CallExpression, ExpressionTree } from './expression-tree.js';
import { InvalidCelExpressionError } from './errors.js';
import { functionKinds, methodKinds } from './function-signatures.js';
import { anyKind, kindsOf, kinds, namesOfKinds, type KindSet } from './kinds.js';
import { isMacro } from './macros.js';
import { missingMember, type Variable } from './variable.js';

const { boolean, number, string, list, object, timestamp, duration } = kinds;

/**
 * Returns the kinds of values that an expression may have.
 * @throws InvalidCelExpressionError if a part of it has no value for any value of the variable: an unknown member, or
 *   an operation on a kind that it does not accept
 */
export function checkKinds(expression: ExpressionTree, variable: Variable): KindSet {
  return check(expression, { names: [variable.name], variable });
}

/** The variables that a sub-expression may use; the first is the declared one unless a macro variable has its name. */
interface KindScope {
  names: readonly string[];
  variable: Variable;
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
      return isDeclared(expression, scope) ? object : anyKind;
    case 'member':
      return member(expression, scope);
    case 'index':
      if (expression.index.kind === 'literal' && isDeclared(expression.object, scope)) {
        return declaredMember(String(expression.index.value), expression.at, scope);
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

/** Returns those of the desired kinds that a value may have. @throws InvalidCelExpressionError if there is none */
function need(expression: ExpressionTree, desired: KindSet, scope: KindScope): KindSet {
  const found = check(expression, scope);
  if (found & desired) return found & desired;
  const detail = `This is ${namesOfKinds(found)}, but ${namesOfKinds(desired)} is needed.`;
  throw new InvalidCelExpressionError(detail, expression.at);
}

function isDeclared(expression: ExpressionTree, { names, variable: { name } }: KindScope): boolean {
  return expression.kind === 'variable' && expression.name === name && names.lastIndexOf(name) === 0;
}

function member(expression: Extract<ExpressionTree, { kind: 'member' }>, scope: KindScope): KindSet {
  if (!isDeclared(expression.object, scope)) {
    need(expression.object, object, scope);
    return anyKind;
  }
  return declaredMember(expression.name, expression.at, scope);
}

function declaredMember(name: string, at: number, { variable }: KindScope): KindSet {
  if (Object.hasOwn(variable.members, name)) return variable.members[name] as KindSet;
  throw new InvalidCelExpressionError(missingMember(variable, name), at);
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
