import { jsonPointerTo } from '#json';
import {
  DefinitionError,
  type DefinitionProblem,
  type FoldField,
  compileFold,
  foldFieldMembers,
  type Fold,
  expressionText,
  DefinitionMemberReader,
  readObject,
  definitionError,
} from '#dataflow';
import { expressionCharacters, translatePointers } from '../flow/operand.js';
import { reducePointer } from '../windows/common-window-settings.js';
import type { OperatorImplementation } from './operator.js';

/** Members of a window result besides the fields of the `reduce`; no field may have such a name. */
const ownNames = ['key', 'window_start', 'window_end', 'zone_data'];

/** `reduce`: the fields of a window result, by fold operations. The `window` before it compiles the `reduce`. */
export const reduce: OperatorImplementation = {
  summary: 'fields as in a projection; the window result continues.',
  compile(_spec, { at }) {
    throw definitionError(at, 'must follow a window');
  },
};

/** Compiles the fields of a `reduce`. @throws DefinitionError with every error of every field */
export function compileReduce(spec: unknown, at: string): Fold {
  const fields: Record<string, FoldField> = {};
  const errors: DefinitionProblem[] = [];
  for (const [name, value] of Object.entries(readObject(spec, at))) {
    const pointer = jsonPointerTo(at, name);
    if (ownNames.includes(name))
      errors.push({
        pointer,
        detail: 'must have another name: the result has a built-in member of this name',
      });
    fields[name] = readField(value, pointer);
  }
  if (errors.length > 0) throw new DefinitionError(errors);
  return translatePointers(
    (pointer) => reducePointer(pointer, at),
    () => compileFold(fields),
  );
}

function readField(field: unknown, pointer: string): FoldField {
  const members = new DefinitionMemberReader(field, pointer, foldFieldMembers);
  const text = (name: string) =>
    members.optional(name, (value, at) => expressionText(value, at, expressionCharacters));
  return {
    op: members.text('op', expressionCharacters),
    value: text('value'),
    by: text('by'),
    n: members.optional('n', (value) => value),
    p: members.optional('p', (value) => value),
  };
}
