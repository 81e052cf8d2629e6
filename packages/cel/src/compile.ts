import type { CallExpression, ExpressionTree } from './expression-tree.js';
import { endBudget, evaluationFailure, spend, spendOnError, startBudget } from './budget.js';
import { EvaluationError, InvalidCelExpressionError } from './errors.js';
import { functions, methods } from './functions.js';
import { functionHint, variableHint, type UnknownName } from './hint.js';
import {
  compileMacro,
  isMacro,
  type CompiledExpression,
  type CompileExpression,
  type VariableInScope,
} from './macros.js';
import { negated } from './numbers.js';
import { conditionOperators, operators, type BinaryOperatorFunctions } from './operators.js';
import { compiledPattern, findsPattern, notAPattern } from './pattern.js';
import { needText } from './text-functions.js';
import type { Variable } from './variable.js';
import {
  isList,
  isNumber,
  isNumeric,
  isObject,
  kindOf,
  memberValue,
  needBool,
  type CelFunction,
  type CelObject,
  type CelValue,
} from './values.js';

/**
 * Compiles an expression. The returned function throws EvaluationError if there is no value.
 * @param mayBeText Whether the expression may return a text; the error for a mere name then suggests quotes.
 * @throws InvalidCelExpressionError if the expression names an unknown variable or function
 */
export function compileParsed(
  expression: ExpressionTree,
  variable: Variable,
  { mayBeText = false } = {},
): (value: CelObject) => CelValue {
  if (mayBeText) refuseUnquotedText(expression, variable);
  return evaluated(expression, variable, operators);
}

/** @throws InvalidCelExpressionError for an expression that is only an unknown name with members, such as `order.large` */
function refuseUnquotedText(expression: ExpressionTree, variable: Variable): void {
  const names: string[] = [];
  let root = expression;
  for (; root.kind === 'member'; root = root.object) names.unshift(root.name);
  if (root.kind !== 'variable' || root.name === variable.name) return;
  const member = names.length > 0 ? names.join('.') : undefined;
  throw unknownVariable(root, variable, { member, text: [root.name, ...names].join('.') });
}

/**
 * Compiles the condition of a `where`, with the same meaning in every engine: two lists or two objects are never
 * compared, and a value for which it has no value does not match.
 */
export function compileCondition(
  expression: ExpressionTree,
  variable: Variable,
): (value: CelObject) => boolean {
  const run = evaluated(expression, variable, conditionOperators);
  return (value) => {
    try {
      return run(value) === true;
    } catch (error) {
      if (error instanceof EvaluationError) return false;
      throw error;
    }
  };
}

function evaluated(
  expression: ExpressionTree,
  variable: Variable,
  operators: BinaryOperatorFunctions,
): (value: CelObject) => CelValue {
  const { name } = variable;
  const run = compiler(variable, operators)(expression, [name]);
  return (value) => {
    startBudget();
    try {
      return run({ name, value });
    } catch (error) {
      throw evaluationFailure(error, { name, at: expression.at });
    } finally {
      endBudget();
    }
  };
}

function compiler(root: Variable, operators: BinaryOperatorFunctions): CompileExpression {
  const compile: CompileExpression = (expression, names) => {
    const part = (child: ExpressionTree) => compile(child, names);
    const { at } = expression;
    switch (expression.kind) {
      case 'literal':
        return literal(expression.value);
      case 'list': {
        const items = expression.items.map(part);
        return (scope) => items.map((item) => item(scope));
      }
      case 'map':
        return map(
          expression.entries.map(([key, value]) => [part(key), part(value)]),
          at,
        );
      case 'variable':
        if (!names.includes(expression.name)) throw unknownVariable(expression, root);
        return variable(expression.name);
      case 'member': {
        const { object } = expression;
        if (object.kind === 'variable' && !names.includes(object.name))
          throw unknownVariable(object, root, { member: expression.name });
        const of = part(object);
        return (scope) => member(of(scope), expression.name, at);
      }
      case 'index': {
        const [of, index] = [part(expression.object), part(expression.index)];
        return (scope) => element(of(scope), index(scope), at);
      }
      case 'unary': {
        const operand = part(expression.operand);
        if (expression.operator === '!') return (scope) => !needBool(operand(scope), at);
        return (scope) => negate(operand(scope), at);
      }
      case 'binary': {
        const [left, right] = [part(expression.left), part(expression.right)];
        if (expression.operator === '&&') return logical(false, [left, right], at);
        if (expression.operator === '||') return logical(true, [left, right], at);
        const operate = operators[expression.operator];
        return (scope) => operate(left(scope), right(scope), at);
      }
      case 'conditional': {
        const [test, then, otherwise] = [part(expression.test), part(expression.then), part(expression.else)];
        return (scope) => (needBool(test(scope), at) ? then(scope) : otherwise(scope));
      }
      case 'call':
        if (isMacro(expression)) return compileMacro(expression, names, { variable: root.name, compile });
        return call(expression, expression.object ? methods : functions, part);
    }
  };
  return compile;
}

function negate(value: CelValue, at: number): CelValue {
  if (isNumeric(value)) return negated(value, at);
  throw new EvaluationError(`A ${kindOf(value)} cannot be negated.`, at);
}

function literal(value: string | number | bigint | boolean | null): CompiledExpression {
  const result = typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;
  return () => result;
}

function unknownVariable(
  { name, at }: { name: string; at: number },
  variable: Variable,
  written: UnknownName = {},
): InvalidCelExpressionError {
  return new InvalidCelExpressionError(
    `There is no variable ${name}; ${variableHint(name, variable, written)}`,
    at,
  );
}

function variable(name: string): CompiledExpression {
  return (scope) => {
    let found: VariableInScope | undefined = scope;
    while (found && found.name !== name) found = found.outer;
    return found?.value ?? null;
  };
}

function member(of: CelValue, name: string, at: number): CelValue {
  // Inherited names such as `constructor` are not members; the members of a value are own properties.
  if (isObject(of) && Object.hasOwn(of, name)) return memberValue(of, name);
  throw new EvaluationError(`There is no member ${name} in this ${kindOf(of)}.`, at);
}

function element(of: CelValue, index: CelValue, at: number): CelValue {
  if (typeof index === 'string') return member(of, index, at);
  const item = isList(of) && isNumber(index) ? of[Number(index)] : undefined;
  if (item === undefined) throw new EvaluationError('There is no such element.', at);
  return item;
}

/** Number of steps charged for each member of an object that an expression creates. */
const stepsOfEntry = 1;

function map(entries: [CompiledExpression, CompiledExpression][], at: number): CompiledExpression {
  return (scope) => {
    spend(entries.length * stepsOfEntry);
    const made = Object.create(null) as Record<string, CelValue>;
    for (const [key, value] of entries) {
      const name = key(scope);
      if (typeof name !== 'string') throw new EvaluationError('A name in an object is a string.', at);
      made[name] = value(scope);
    }
    return made;
  };
}

/** Compiles `&&` or `||`: the deciding value on either side wins, even over an error on the other side. */
function logical(
  deciding: boolean,
  [left, right]: [CompiledExpression, CompiledExpression],
  at: number,
): CompiledExpression {
  return (scope) => {
    let failed: unknown;
    try {
      if (needBool(left(scope), at) === deciding) return deciding;
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      spendOnError();
      failed = error;
    }
    const decided = needBool(right(scope), at) === deciding;
    if (decided) return deciding;
    if (failed !== undefined) throw failed as EvaluationError;
    return !deciding;
  };
}

/** Number of steps charged for each function call, besides the steps for long values. */
const stepsOfCall = 1;

function call(
  { name, object: receiver, args, at, maxBytes }: CallExpression,
  table: Record<string, CelFunction>,
  part: (expression: ExpressionTree) => CompiledExpression,
): CompiledExpression {
  const parts = [...(receiver ? [receiver] : []), ...args];
  const key = `${name}/${parts.length}`;
  const known = Object.hasOwn(table, key) ? table[key] : undefined;
  if (!known) {
    const hint = functionHint(name);
    const missing = `There is no ${name}() with ${args.length} argument(s)`;
    throw new InvalidCelExpressionError(hint === undefined ? `${missing}.` : `${missing}; ${hint}`, at);
  }
  const [pattern] = args;
  if (maxBytes !== undefined && receiver && pattern?.kind === 'literal')
    return matches(part(receiver), String(pattern.value), { at, maxBytes });
  const values = parts.map(part);
  return (scope) => {
    spend(stepsOfCall);
    return known(
      values.map((value) => value(scope)),
      at,
    );
  };
}

/** Compiles `matches` with a literal pattern. The pattern is compiled here, so that an evaluation only searches. */
function matches(
  text: CompiledExpression,
  source: string,
  bounds: { at: number; maxBytes: number },
): CompiledExpression {
  const pattern = compiledPattern(source);
  if (!pattern) throw new InvalidCelExpressionError(notAPattern, bounds.at);
  return (scope) => findsPattern(needText(text(scope), bounds.at), pattern, bounds);
}
