import type { Expression } from '#contracts';
import { doubles, type Arithmetic } from './arithmetic.js';
import { endBudget, evaluationFailure, startBudget } from './budget.js';
import type { Call } from './call.js';
import { EvaluationError, ExpressionError } from './errors.js';
import { memberValue } from './event-value.js';
import { methods } from './functions.js';
import { functionHint, variableHint } from './hint.js';
import { compileMacro, isMacro } from './macros.js';
import { parseExpression } from './parse.js';
import type { Compile, Compiled, Scope } from './scope.js';
import { isList, isNumber, isObject, kindOf, needBool, type Value, type ValueObject } from './values.js';

/**
 * Compiles an expression on the variable `event` (made by `eventValue`) once, to be evaluated many times. The result
 * throws EvaluationError where the expression has no value for an event.
 * @throws ExpressionError when the text is no expression, or names a variable or a function that does not exist.
 */
export function compileExpression(text: string): (event: ValueObject) => Value {
  return compileParsed(parseExpression(text));
}

/**
 * The same for an expression that has been parsed. With `exact` arithmetic the event's numbers have to be read exactly
 * too (`parseExactJson`).
 */
export function compileParsed(
  expression: Expression,
  arithmetic: Arithmetic = doubles,
): (event: ValueObject) => Value {
  const run = compiler(arithmetic)(expression, ['event']);
  return (event) => {
    startBudget();
    try {
      return run({ name: 'event', value: event });
    } catch (error) {
      throw evaluationFailure(error, expression.at);
    } finally {
      endBudget();
    }
  };
}

function compiler(arithmetic: Arithmetic): Compile {
  const compile: Compile = (expression, names) => {
    const part = (child: Expression) => compile(child, names);
    const { at } = expression;
    switch (expression.kind) {
      case 'literal':
        return constant(literal(expression.value));
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
        return variable(expression.name, names, at);
      case 'member': {
        const { object } = expression;
        if (object.kind === 'variable' && !names.includes(object.name))
          throw unknownVariable(object.name, object.at, expression.name);
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
        return (scope) => arithmetic.negate(operand(scope), at);
      }
      case 'binary': {
        const [left, right] = [part(expression.left), part(expression.right)];
        if (expression.operator === '&&') return logical(false, [left, right], at);
        if (expression.operator === '||') return logical(true, [left, right], at);
        const operate = arithmetic.operators[expression.operator];
        return (scope) => operate(left(scope), right(scope), at);
      }
      case 'conditional': {
        const [test, then, otherwise] = [part(expression.test), part(expression.then), part(expression.else)];
        return (scope) => (needBool(test(scope), at) ? then(scope) : otherwise(scope));
      }
      case 'call':
        if (isMacro(expression)) return compileMacro(expression, names, compile);
        return call(expression, expression.object ? methods : arithmetic.functions, part);
    }
  };
  return compile;
}

function literal(value: string | number | bigint | boolean | null): Value {
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function constant(value: Value): Compiled {
  return () => value;
}

function unknownVariable(name: string, at: number, member?: string): ExpressionError {
  return new ExpressionError(`There is no variable ${name}; ${variableHint(name, member)}`, at);
}

function variable(name: string, names: readonly string[], at: number): Compiled {
  if (!names.includes(name)) throw unknownVariable(name, at);
  return (scope) => {
    let found: Scope | undefined = scope;
    while (found && found.name !== name) found = found.outer;
    return found?.value ?? null;
  };
}

function member(of: Value, name: string, at: number): Value {
  // Inherited names such as `constructor` are no members; those of the event are its own.
  if (isObject(of) && Object.hasOwn(of, name)) return memberValue(of, name);
  throw new EvaluationError(`There is no member ${name} in this ${kindOf(of)}.`, at);
}

function element(of: Value, index: Value, at: number): Value {
  if (typeof index === 'string') return member(of, index, at);
  const item = isList(of) && isNumber(index) ? of[Number(index)] : undefined;
  if (item === undefined) throw new EvaluationError('There is no such element.', at);
  return item;
}

function map(entries: [Compiled, Compiled][], at: number): Compiled {
  return (scope) => {
    const made = Object.create(null) as Record<string, Value>;
    for (const [key, value] of entries) {
      const name = key(scope);
      if (typeof name !== 'string') throw new EvaluationError('A name in an object is a string.', at);
      made[name] = value(scope);
    }
    return made;
  };
}

/** `&&` and `||`: the deciding value on either side wins, even over an error on the other. */
function logical(deciding: boolean, [left, right]: [Compiled, Compiled], at: number): Compiled {
  return (scope) => {
    let failed: unknown;
    try {
      if (needBool(left(scope), at) === deciding) return deciding;
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      failed = error;
    }
    const decided = needBool(right(scope), at) === deciding;
    if (decided) return deciding;
    if (failed !== undefined) throw failed as EvaluationError;
    return !deciding;
  };
}

function call(
  { name, object: receiver, args, at }: Extract<Expression, { kind: 'call' }>,
  table: Record<string, Call>,
  part: (expression: Expression) => Compiled,
): Compiled {
  const parts = [...(receiver ? [receiver] : []), ...args];
  const key = `${name}/${parts.length}`;
  const known = Object.hasOwn(table, key) ? table[key] : undefined;
  if (!known) {
    const hint = functionHint(name);
    const missing = `There is no ${name}() with ${args.length} argument(s)`;
    throw new ExpressionError(hint === undefined ? `${missing}.` : `${missing}; ${hint}`, at);
  }
  const values = parts.map(part);
  return (scope) =>
    known(
      values.map((value) => value(scope)),
      at,
    );
}
