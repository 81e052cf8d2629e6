import { pointerTo } from '#event';
import { compileFold, type Fold } from '../folds/compile-fold.js';
import type { FoldField } from '../folds/compile-fields.js';
import { DefinitionError } from '../folds/definition-error.js';
import { Members, object } from '../pipelines/members.js';

/** What the data of a window's result has beside the fields. */
const ownNames = ['key', 'window_start', 'window_end'];
const foldPointer = '/fields';

/**
 * `reduce`: the fields of a window's result, with the operations of projections.
 * @throws DefinitionError with every error of every field
 */
export function compileReduce(spec: unknown, at: string): Fold {
  const fields: Record<string, FoldField> = {};
  const errors = [];
  for (const [name, value] of Object.entries(object(spec, at))) {
    const pointer = pointerTo(at, name);
    if (ownNames.includes(name))
      errors.push({
        pointer,
        detail: 'must have another name: the result has a member of its own that is called so',
      });
    fields[name] = readField(value, pointer);
  }
  if (errors.length > 0) throw new DefinitionError(errors);
  try {
    return compileFold(fields);
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    throw new DefinitionError(
      error.errors.map(({ pointer, detail }) => ({ pointer: reducePointer(pointer, at), detail })),
    );
  }
}

/** Where in the definition it is that a fold means. */
export function reducePointer(pointer: string, at: string): string {
  return at + pointer.slice(foldPointer.length);
}

function readField(value: unknown, pointer: string): FoldField {
  const members = new Members(value, pointer, ['op', 'value']);
  const longest = 4096;
  const text = members.optionalText('value', longest);
  return { op: members.text('op', longest), ...(text === undefined ? {} : { value: text }) };
}
