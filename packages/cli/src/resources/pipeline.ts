import type { PipelineInput } from '#client';
import { members } from '../output/column.js';
import { membersOf, pick, sourceOf, streamsOf } from './defined-members.js';
import type { ComparableDefinition, ResourceOperations } from './resource.js';

const names = membersOf<PipelineInput>({ name: true, source: true, operators: true, from: true });

export const pipelineResource: ResourceOperations = {
  kind: 'pipeline',
  plural: 'pipelines',
  columns: members('name', 'version', 'status', 'processed', 'emitted', 'dropped', 'late', 'failed', 'lag'),
  members: names,
  namedBy: ['name'],
  optional: [],
  fixed: [],
  prunable: true,
  list: (client, options) => client.pipelines.list({}, options),
  get: (client, name, options) => client.pipelines.get(name, options),
  nameOf: ({ name }) => String(name),
  definitionOf: (item) => {
    const { from, source, ...rest } = pick(item, names);
    const changed = from !== undefined && from !== 'beginning';
    return { ...rest, source: sourceOf(source), ...(changed && { from }) };
  },
  create: (client, wanted, options) => client.pipelines.define(inputOf(wanted), options),
  change: (client, wanted, options) =>
    client.pipelines.replace(String(wanted.name), inputOf(wanted), options),
  delete: (client, name, { signal }) => client.pipelines.delete(name, { signal }),
  needs: (wanted) => [
    ...streamsOf(wanted),
    ...valuesUnder(wanted.operators, 'projection').map((name) => `projection:${name}`),
  ],
  provides: ({ operators }) => valuesUnder(operators, 'stream').map((name) => `stream:${name}`),
};

/** Returns the texts of all members with this name, at any depth, because operators nest. */
function valuesUnder(value: unknown, member: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) =>
    name === member && typeof inner === 'string' ? [inner] : valuesUnder(inner, member),
  );
}

function inputOf(wanted: ComparableDefinition): PipelineInput {
  return wanted as unknown as PipelineInput;
}
