import { subexpressionsOf, type CallExpression, type ExpressionTree } from './expression-tree.js';
import { spend, spendOnError } from './budget.js';
import { EvaluationError, InvalidCelExpressionError } from './errors.js';
import { isList, isObject, kindOf, needBool, type CelValue } from './values.js';

/** A variable that a sub-expression can use, such as `event` or that of a macro, with its value. */
export interface VariableInScope {
  name: string;
  value: CelValue;
  outer?: VariableInScope;
}

/** A compiled expression. @throws EvaluationError if it has no value */
export type CompiledExpression = (scope: VariableInScope) => CelValue;
/** Compiles a sub-expression in which the named variables are in scope. */
export type CompileExpression = (expression: ExpressionTree, names: readonly string[]) => CompiledExpression;

type ItemEvaluation = (item: CelValue) => CelValue;

/** The CEL macros that evaluate an expression for each item of a list, or for each name of an object. */
const overItems: Record<string, (items: readonly CelValue[], each: ItemEvaluation, at: number) => CelValue> =
  {
    exists: (items, each, at) => some(items, (item) => needBool(each(item), at)),
    all: (items, each, at) => !some(items, (item) => !needBool(each(item), at)),
    exists_one: (items, each, at) => items.filter((item) => needBool(each(item), at)).length === 1,
    filter: (items, each, at) => items.filter((item) => needBool(each(item), at)),
    map: (items, each) => items.map(each),
  };

/** Returns whether a call is a macro: `has`, or a method such as `exists` with a variable and an expression. */
export function isMacro(call: CallExpression): boolean {
  if (call.object === null) return call.name === 'has';
  return Object.hasOwn(overItems, call.name) && call.args.length === 2;
}

interface MacroContext {
  variable: string;
  compile: CompileExpression;
}

export function compileMacro(
  call: CallExpression,
  names: readonly string[],
  context: MacroContext,
): CompiledExpression {
  if (call.object === null) return compileHas(call, names, context);
  const { compile } = context;
  const [item, body] = call.args as [ExpressionTree, ExpressionTree];
  if (item.kind !== 'variable')
    throw new InvalidCelExpressionError(
      `${call.name}() needs a variable name as its first argument.`,
      item.at,
    );
  const list = compile(call.object, names);
  const each = compile(body, [...names, item.name]);
  const run = overItems[call.name] as (typeof overItems)[string];
  const steps = stepsOf(body);
  return (scope: VariableInScope) => {
    const items = itemsOf(list(scope), call.at);
    const one = (value: CelValue) => {
      spend(steps);
      return each({ name: item.name, value, outer: scope });
    };
    return run(items, one, call.at);
  };
}

/** Number of syntax nodes of an expression that count as one step for each item of a macro. */
const partsPerStep = 8;

/** Returns the steps that a macro charges for each item, besides those of the operations in its expression. */
function stepsOf(body: ExpressionTree): number {
  const count = (part: ExpressionTree): number =>
    subexpressionsOf(part).reduce((sum, each) => sum + count(each), 1);
  return Math.max(1, count(body) / partsPerStep);
}

/** Compiles `has`: false if a member on the path is missing, or if a member of the variable itself is null. */
function compileHas(
  { args, at }: CallExpression,
  names: readonly string[],
  { variable, compile }: MacroContext,
): CompiledExpression {
  const [argument] = args;
  if (args.length !== 1 || argument?.kind !== 'member') {
    throw new InvalidCelExpressionError('has() takes a member, such as has(a.b).', at);
  }
  const value = compile(argument, names);
  const ofVariable = argument.object.kind === 'variable' && argument.object.name === variable;
  return (scope) => {
    try {
      return value(scope) !== null || !ofVariable;
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      spendOnError();
      return false;
    }
  };
}

function itemsOf(value: CelValue, at: number): readonly CelValue[] {
  if (isList(value)) return value;
  if (!isObject(value)) throw new EvaluationError(`A ${kindOf(value)} has no items.`, at);
  const names = Object.keys(value);
  spend(names.length);
  return names;
}

/** Number of steps charged when a macro continues after an error in one item. */
const costOfError = 20;

/** Returns whether `decides` is true for any item. As with `||`, such an item wins over items for which it fails. */
function some(items: readonly CelValue[], decides: (item: CelValue) => boolean): boolean {
  let failed: EvaluationError | undefined;
  for (const item of items) {
    try {
      if (decides(item)) return true;
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      spend(costOfError);
      failed ??= error;
    }
  }
  if (failed) throw failed;
  return false;
}
