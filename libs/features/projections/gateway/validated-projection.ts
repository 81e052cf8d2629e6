import { isJsonObject } from '#json';
import { ProblemError, type InputProblem } from '#api';
import type { ProjectionSpec } from '#features/projections/definition';
import { shortPointerTo, unknownFields } from '#http';
import {
  compileFold,
  compileHistory,
  compileKey,
  compileSource,
  DefinitionError,
  foldFieldMembers,
  type DefinitionProblem,
} from '#dataflow';
import { invalidDefinitionProblem } from '#gateway-kit';
import type { ProjectionSpecInput } from './projection-input.js';

/** The default key of projections. */
export const defaultKey = 'event.entity_id';

const mostErrors = 100;
const fieldMembers = new Set<string>(foldFieldMembers);

/**
 * Validates the definition of a request body.
 * @throws ProblemError 400 that names the position of each error: `invalid_expression` when only expressions are wrong,
 * otherwise `invalid_request`
 */
export function validatedProjection(input: ProjectionSpecInput): ProjectionSpec {
  const { source, key, fields, history, from } = input;
  const { streams, event_types, where } = source;
  const spec: ProjectionSpec = {
    source: { streams, ...(event_types && { event_types }), ...(where != null && { where }) },
    ...(key != null && key !== defaultKey && { key }),
    fields: fieldsOf(fields),
    ...(history != null && { history }),
    from: from ?? 'beginning',
  };
  const errors = [
    ...errorsOf(() => compileSource(spec.source)),
    ...errorsOf(() => compileKey(spec.key)),
    ...errorsOf(() => compileFold(spec.fields)),
    ...errorsOf(() => history != null && compileHistory(history, '/history')),
  ];
  if (errors.length > 0) throw invalidDefinitionProblem(errors, { what: 'projection' });
  return spec;
}

function fieldsOf(fields: object): ProjectionSpec['fields'] {
  const entries = Object.entries(fields);
  const errors = entries.flatMap(([name, field]) => wrongIn(shortPointerTo('/fields', name), field));
  if (errors.length > 0)
    throw new ProblemError('invalid_request', 'The body is not valid.', {
      errors: errors.slice(0, mostErrors),
    });
  return Object.fromEntries(
    entries.map(([name, field]: [string, Record<string, unknown>]) => {
      const given = foldFieldMembers.filter((member) => field[member] != null);
      return [name, Object.fromEntries(given.map((member) => [member, field[member]]))];
    }),
  ) as unknown as ProjectionSpec['fields'];
}

function wrongIn(pointer: string, field: unknown): InputProblem[] {
  if (!isJsonObject(field)) return [{ pointer, detail: 'must be an object with op and value' }];
  return [
    ...unknownFields(field, fieldMembers, pointer),
    ...(typeof field.op === 'string' ? [] : [{ pointer: `${pointer}/op`, detail: 'must be a text' }]),
    ...(['value', 'by'] as const)
      .filter((member) => field[member] != null && typeof field[member] !== 'string')
      .map((member) => ({
        pointer: `${pointer}/${member}`,
        detail: 'must be a text with a CEL expression',
      })),
  ];
}

function errorsOf(compile: () => unknown): readonly DefinitionProblem[] {
  try {
    compile();
    return [];
  } catch (error) {
    if (error instanceof DefinitionError) return error.errors;
    throw error;
  }
}
