import { jsonPointerTo } from '#json';
import { kindsOf, namesOfKinds, type CelValue, type KindSet } from '#cel';
import {
  collectErrors,
  locateExpressionErrors,
  DefinitionError,
  type DefinitionProblem,
} from '../definition/definition-error.js';
import { FoldRejectedError, rejectedIn, type FoldOperation } from '../fold-operations/fold-operation.js';
import { foldOperations } from '../fold-operations/index.js';
import { definitionError } from '../definition/members.js';
import { mostQuantiles } from '../fold-operations/quantile.js';
import { mostItems } from '../fold-operations/top.js';
import { compileExact } from './checked-expression.js';
import type { FoldEvent } from './fold-event.js';

/** Limits of folds. Each fold operation also has limits in its own file, which keep the state of the field small. */
export const foldLimits = {
  fields: 32,
  /** Maximum number of characters of the key of a projection or a keyed stage. */
  keyCharacters: 256,
  /** Maximum number of events of a `top`, and of quantiles of a `quantile`. */
  topItems: mostItems,
  quantiles: mostQuantiles,
} as const;

/** A field in the definition of a projection or a `reduce`, in the form that clients write. */
export interface FoldField {
  op: string;
  /** A CEL expression for the value to add; absent for an operation without one, such as `count`. */
  value?: string | undefined;
  /** A CEL expression for what `top` sorts by. */
  by?: string | undefined;
  /** The parameters of `top` and `quantile`, which `compileFields` checks. */
  n?: unknown;
  p?: unknown;
}

/** Names of all members of a field, in the order in which definitions are stored. */
export const foldFieldMembers = ['op', 'value', 'by', 'n', 'p'] as const;

/** A compiled field of a fold. */
export interface CompiledField {
  readonly name: string;
  readonly operation: FoldOperation;
  readonly value: FieldValue | undefined;
}

/**
 * Returns what the operation adds for an event; null adds nothing.
 * @throws EvaluationError without a value
 * @throws FoldRejectedError for a value that the operation does not take
 */
type FieldValue = (event: FoldEvent) => CelValue;

const namePattern = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/** Compiles the fields of a fold. @throws DefinitionError with every error of every field, under /fields */
export function compileFields(definition: Readonly<Record<string, FoldField>>): readonly CompiledField[] {
  const names = Object.keys(definition);
  if (names.length === 0 || names.length > foldLimits.fields) {
    const detail = `must have 1 to ${foldLimits.fields} fields`;
    throw new DefinitionError([{ pointer: '/fields', detail }]);
  }
  const errors: DefinitionProblem[] = [];
  const fields = names.flatMap(
    (name) => collectErrors(errors, () => compileField(name, definition[name] as FoldField)) ?? [],
  );
  if (errors.length > 0) throw new DefinitionError(errors);
  return fields;
}

function compileField(name: string, definition: FoldField): CompiledField {
  const pointer = jsonPointerTo('/fields', name);
  const refuse = (part: string, detail: string) => definitionError(pointer + part, detail);
  if (!namePattern.test(name)) {
    throw refuse('', 'must have a name of 1 to 64 of the characters A-Z a-z 0-9 _ that begins with a letter');
  }
  const { op } = definition;
  const operation = Object.hasOwn(foldOperations, op) ? foldOperations[op] : undefined;
  if (!operation) throw refuse('/op', `must be one of ${Object.keys(foldOperations).join(', ')}`);
  const { takes, takesBy, parameter } = operation;
  const takenMembers = { value: takes !== undefined, by: takesBy !== undefined, n: false, p: false };
  if (parameter) takenMembers[parameter.name] = true;
  for (const [member, isTaken] of Object.entries(takenMembers)) {
    const isGiven = definition[member as keyof FoldField] !== undefined;
    if (isGiven && !isTaken) throw refuse(`/${member}`, `must be left out: ${op} takes no ${member}`);
    if (!isGiven && isTaken)
      throw refuse(`/${member}`, `is required: ${op} needs one, such as ${examples[member]}`);
  }
  const operand = (member: 'value' | 'by', desired: KindSet) =>
    compileOperand(definition[member]!, `${pointer}/${member}`, desired);
  return {
    name,
    operation: parameter?.apply(definition[parameter.name], `${pointer}/${parameter.name}`) ?? operation,
    value:
      takes === undefined
        ? undefined
        : takesBy === undefined
          ? operand('value', takes)
          : withBy(operand('by', takesBy), operand('value', takes)),
  };
}

const examples: Record<string, string> = {
  value: '"event.data.amount"',
  by: '"event.data.amount"',
  n: '10',
  p: '[0.5, 0.99]',
};

function compileOperand(text: string, pointer: string, desired: KindSet): FieldValue {
  const run = locateExpressionErrors(pointer, () => compileExact(text, desired));
  return (event) => {
    const found = run(event);
    const kind = kindsOf(found);
    if (found === null || kind & desired) return found;
    throw new FoldRejectedError(`This is ${namesOfKinds(kind)}, but ${namesOfKinds(desired)} is needed.`);
  };
}

/** Returns both values as a list; null if one of them is null. Without a `by`, the value is not evaluated. */
function withBy(by: FieldValue, value: FieldValue): FieldValue {
  return (event) => {
    const order = rejectedIn('by', () => by(event));
    const found = order === null ? null : value(event);
    return found === null ? null : [order, found];
  };
}
