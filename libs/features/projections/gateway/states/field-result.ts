import { ProblemError } from '#api';
import type { ProjectionGeneration } from '#registry';
import { compileFold, foldOperations, type FoldState, type Json } from '#dataflow';

/**
 * Returns a function that computes one field of a projection from a state, as JSON text.
 * @throws ProblemError 400 for an unknown field, or a field whose values have no order
 */
export function fieldResult({ spec }: ProjectionGeneration, name: string): (state: FoldState) => string {
  const names = Object.keys(spec.fields);
  const at = names.indexOf(name);
  const field = spec.fields[name];
  if (at < 0 || !field) throw refused(`must be a field of the projection: ${names.join(', ')}`);
  if (foldOperations[field.op]?.unordered) {
    throw refused(`must be a field of single values, but ${name} is computed by ${field.op}`);
  }
  const fold = compileFold({ [name]: field });
  return (state) => fold.results([state[at] as Json])[name] ?? 'null';
}

function refused(detail: string): ProblemError {
  return new ProblemError('invalid_request', `The parameter order_by ${detail}.`, {
    errors: [{ pointer: 'order_by', detail }],
  });
}
