import { jsonPointerTo } from '#json';
import type { CelValue } from '#cel';
import {
  collectErrors,
  locateExpressionErrors,
  DefinitionError,
  type DefinitionProblem,
} from '../definition/definition-error.js';
import type { FoldOperation } from '../fold-operations/fold-operation.js';
import { foldOperations } from '../fold-operations/index.js';
import { compileExact } from './checked-expression.js';
import type { FoldEvent } from './fold-event.js';

/** Limits of folds. Each fold operation also has limits in its own file, which keep the state of the field small. */
export const foldLimits = {
  fields: 32,
  /** Maximum number of characters of the key of a projection or a keyed stage. */
  keyCharacters: 256,
} as const;

/** A field in the definition of a projection or a `reduce`, in the form that clients write. */
export interface FoldField {
  op: string;
  /** A CEL expression for the value to add; absent for an operation without one, such as `count`. */
  value?: string;
}

/** A compiled field of a fold. */
export interface CompiledField {
  readonly name: string;
  readonly operation: FoldOperation;
  readonly value: ((event: FoldEvent) => CelValue) | undefined;
}

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

function compileField(name: string, { op, value }: FoldField): CompiledField {
  const pointer = jsonPointerTo('/fields', name);
  const refuse = (part: string, detail: string) => new DefinitionError([{ pointer: pointer + part, detail }]);
  if (!namePattern.test(name)) {
    throw refuse('', 'must have a name of 1 to 64 of the characters A-Z a-z 0-9 _ that begins with a letter');
  }
  const operation = Object.hasOwn(foldOperations, op) ? foldOperations[op] : undefined;
  if (!operation) throw refuse('/op', `must be one of ${Object.keys(foldOperations).join(', ')}`);
  const { takes } = operation;
  if (takes === undefined) {
    if (value === undefined) return { name, operation, value };
    throw refuse('/value', `must be left out: ${op} takes no value`);
  }
  if (value === undefined)
    throw refuse('/value', `is required: ${op} needs one, such as "event.data.amount"`);
  return {
    name,
    operation,
    value: locateExpressionErrors(`${pointer}/value`, () => compileExact(value, takes)),
  };
}
