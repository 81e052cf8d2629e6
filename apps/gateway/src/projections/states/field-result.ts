import { ProblemError } from '#api';
import type { ProjectionBuild } from '#registry';
import { compileFold, foldOperations, type FoldState, type Json } from '#dataflow';

/**
 * Computes the result of one field alone.
 * @throws ProblemError 400 where there is no such field, or it has no order
 */
export function fieldResult({ spec }: ProjectionBuild, name: string): (state: FoldState) => string {
  const names = Object.keys(spec.fields);
  const at = names.indexOf(name);
  const field = spec.fields[name];
  if (at < 0 || !field) throw refused(`must be a field of the projection: ${names.join(', ')}`);
  if (foldOperations[field.op]?.unordered) {
    throw refused(`must be a field of single values, and ${name} is made by ${field.op}`);
  }
  const fold = compileFold({ [name]: field });
  return (state) => fold.results([state[at] as Json])[name] ?? 'null';
}

function refused(detail: string): ProblemError {
  return new ProblemError('invalid_request', `The parameter order_by ${detail}.`, {
    errors: [{ pointer: 'order_by', detail }],
  });
}
