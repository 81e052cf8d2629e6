import type { ProjectionInput } from '#client';
import { members } from '../output/column.js';
import { membersOf, pick, sourceOf, streamsOf } from './defined-members.js';
import type { ComparableDefinition, ResourceOperations } from './resource.js';

const names = membersOf<ProjectionInput>({ name: true, source: true, key: true, fields: true, from: true });

export const projectionResource: ResourceOperations = {
  kind: 'projection',
  plural: 'projections',
  columns: members('name', 'version', 'status', 'processed', 'failed', 'lag', 'updated_at'),
  members: names,
  namedBy: ['name'],
  optional: [],
  fixed: [],
  prunable: true,
  list: (client, options) => client.projections.list({}, options),
  get: (client, name, options) => client.projections.get(name, options),
  nameOf: ({ name }) => String(name),
  definitionOf,
  create: (client, wanted, options) => client.projections.define(inputOf(wanted), options),
  change: (client, wanted, options) =>
    client.projections.replace(String(wanted.name), inputOf(wanted), options),
  delete: (client, name, { signal }) => client.projections.delete(name, { signal }),
  needs: streamsOf,
  provides: ({ name }) => [`projection:${String(name)}`],
};

/** Returns the definition without members that have the server's default value. */
function definitionOf(item: object): ComparableDefinition {
  const { key, from, source, fields, ...rest } = pick(item, names);
  return {
    ...rest,
    source: sourceOf(source),
    ...(key !== undefined && key !== 'event.entity_id' && { key }),
    fields: fieldsOf(fields),
    ...(from !== undefined && from !== 'beginning' && { from }),
  };
}

function fieldsOf(fields: unknown): unknown {
  if (typeof fields !== 'object' || fields === null) return fields;
  const entries = Object.entries(fields).map(([name, field]) => {
    const isObject = typeof field === 'object' && field !== null;
    return [name, isObject ? pick(field as object, Object.keys(field as object)) : (field as unknown)];
  });
  return Object.fromEntries(entries);
}

function inputOf(wanted: ComparableDefinition): ProjectionInput {
  return wanted as unknown as ProjectionInput;
}
