import type {
  ApiKey,
  ApiKeyInput,
  PipelineInput,
  ProjectionInput,
  SchemaAddress,
  SchemaInput,
  StreamInput,
  SubscriptionInput,
} from '#client';
import type { Positional } from '../arguments/options.js';
import { UsageError } from '../errors/cli-error.js';
import { members } from '../output/formats.js';
import {
  membersOf,
  pick,
  sortedNames,
  sourceOf,
  streamsOf,
  withoutDefaults,
  type ComparableDefinition,
  type ResourceOperations,
} from './resource.js';

/** Streams. Streams are never pruned, because that would delete their events. */
const streamResource: ResourceOperations = {
  kind: 'stream',
  columns: members(
    'stream',
    'partitions',
    'events',
    'bytes',
    'lag',
    'retention',
    'snapshot_every',
    'last_timestamp',
  ),
  members: membersOf<StreamInput>({ stream: true, partitions: true, retention: true, snapshot_every: true }),
  namedBy: ['stream'],
  optional: ['partitions', 'retention', 'snapshot_every'],
  fixed: ['partitions'],
  prunable: false,
  list: (client, options) => client.streams.list({}, options),
  get: (client, name, options) => client.streams.get(name, options),
  nameOf: ({ stream }) => String(stream),
  definitionOf: (item) => pick(item, streamResource.members),
  create: (client, desired, options) => client.streams.create(desired as unknown as StreamInput, options),
  change: (client, { stream, retention, snapshot_every }, options) => {
    const change = pick({ retention, snapshot_every }, ['retention', 'snapshot_every']);
    return client.streams.change(String(stream), change, options);
  },
  delete: (client, name, { confirm = '', ...options }) =>
    client.streams.delete(name, { confirm, ...options }),
  needs: () => [],
  provides: ({ stream }) => [`stream:${String(stream)}`],
};

/** Schemas, named `stream/event_type`. Deleting a schema retires it. */
const schemaResource: ResourceOperations = {
  kind: 'schema',
  columns: members('stream', 'event_type', 'version', 'mode', 'compatibility', 'created_at'),
  members: membersOf<SchemaAddress & SchemaInput>({
    stream: true,
    event_type: true,
    schema: true,
    mode: true,
    compatibility: true,
  }),
  namedBy: ['stream', 'event_type'],
  optional: ['mode', 'compatibility'],
  fixed: [],
  prunable: true,
  list: (client, options) => client.schemas.list({}, options),
  get: (client, name, options) => client.schemas.get(schemaAddressOf(name), options),
  nameOf: ({ stream, event_type }) => `${String(stream)}/${String(event_type)}`,
  definitionOf: (item) => pick(item, schemaResource.members),
  create: (client, desired, options) => client.schemas.register(desired as unknown as SchemaInput, options),
  change: (client, desired, options) => client.schemas.register(desired as unknown as SchemaInput, options),
  delete: (client, name, { signal }) => client.schemas.retire(schemaAddressOf(name), { signal }),
  needs: ({ stream }) => [`stream:${String(stream)}`],
  provides: () => [],
};

/** Splits the name at the first slash: stream names have no slash, event types may have one. */
function schemaAddressOf(name: string): SchemaAddress {
  const at = name.indexOf('/');
  if (at < 1 || at === name.length - 1)
    throw new UsageError(
      `"${name}" is not the name of a schema: write STREAM/EVENT_TYPE, such as orders/order.placed.`,
    );
  return { stream: name.slice(0, at), event_type: name.slice(at + 1) };
}

/** Projections. A member with the server's default value is not compared. */
const projectionResource: ResourceOperations = {
  kind: 'projection',
  columns: members('name', 'version', 'status', 'processed', 'failed', 'lag', 'updated_at'),
  members: membersOf<ProjectionInput>({
    ...{ name: true, source: true, key: true, fields: true },
    ...{ history: true, from: true },
  }),
  namedBy: ['name'],
  optional: [],
  fixed: [],
  prunable: true,
  list: (client, options) => client.projections.list({}, options),
  get: (client, name, options) => client.projections.get(name, options),
  nameOf: ({ name }) => String(name),
  definitionOf: (item) => {
    const { key, from, source, fields, ...rest } = pick(item, projectionResource.members);
    return {
      ...rest,
      source: sourceOf(source),
      ...(key !== undefined && key !== 'event.entity_id' && { key }),
      fields: fieldsOf(fields),
      ...(from !== undefined && from !== 'beginning' && { from }),
    };
  },
  create: (client, desired, options) =>
    client.projections.define(desired as unknown as ProjectionInput, options),
  change: (client, desired, options) =>
    client.projections.replace(String(desired.name), desired as unknown as ProjectionInput, options),
  delete: (client, name, { signal }) => client.projections.delete(name, { signal }),
  needs: ({ source }) => streamsOf(source),
  provides: ({ name }) => [`projection:${String(name)}`],
};

function fieldsOf(fields: unknown): unknown {
  if (typeof fields !== 'object' || fields === null) return fields;
  const entries = Object.entries(fields).map(([name, field]: [string, unknown]) => {
    const isObject = typeof field === 'object' && field !== null;
    return [name, isObject ? pick(field, Object.keys(field)) : field];
  });
  return Object.fromEntries(entries);
}

const pipelineResource: ResourceOperations = {
  kind: 'pipeline',
  columns: members('name', 'version', 'status', 'processed', 'emitted', 'dropped', 'late', 'failed', 'lag'),
  members: membersOf<PipelineInput>({ name: true, source: true, operators: true, from: true }),
  namedBy: ['name'],
  optional: [],
  fixed: [],
  prunable: true,
  list: (client, options) => client.pipelines.list({}, options),
  get: (client, name, options) => client.pipelines.get(name, options),
  nameOf: ({ name }) => String(name),
  definitionOf: (item) => {
    const { from, source, ...rest } = pick(item, pipelineResource.members);
    const changed = from !== undefined && from !== 'beginning';
    return { ...rest, source: sourceOf(source), ...(changed && { from }) };
  },
  create: (client, desired, options) => client.pipelines.define(desired as unknown as PipelineInput, options),
  change: (client, desired, options) =>
    client.pipelines.replace(String(desired.name), desired as unknown as PipelineInput, options),
  delete: (client, name, { signal }) => client.pipelines.delete(name, { signal }),
  needs: (desired) => [
    ...streamsOf(desired.source),
    ...membersUnder(desired.operators, 'with').flatMap(streamsOf),
    ...textsUnder(desired.operators, 'projection').map((name) => `projection:${name}`),
  ],
  provides: ({ operators }) => textsUnder(operators, 'stream').map((name) => `stream:${name}`),
};

/** What the server fills in for members that a subscription omits. */
const subscriptionDefaults = {
  ...{ from: 'now', order: 'entity', parked_blocks: true, ack_within: '30s', max_outstanding: 1000 },
  retry: { attempts: 8, backoff: { first: '1s', factor: 4, most: '1h' } },
};

/** Subscriptions. A member with the server's default value is not compared. */
const subscriptionResource: ResourceOperations = {
  kind: 'subscription',
  columns: members('name', 'version', 'status', 'outstanding', 'retrying', 'waiting', 'parked', 'lag'),
  members: membersOf<SubscriptionInput>({
    ...{ name: true, source: true, from: true, order: true, parked_blocks: true },
    ...{ ack_within: true, retry: true, max_outstanding: true },
  }),
  namedBy: ['name'],
  optional: [],
  fixed: ['source', 'from'],
  prunable: true,
  list: (client, options) => client.subscriptions.list({}, options),
  get: (client, name, options) => client.subscriptions.get(name, options),
  nameOf: ({ name }) => String(name),
  definitionOf: (item) => {
    const { name, source, ...rest } = pick(item, subscriptionResource.members);
    const changed = withoutDefaults(rest, subscriptionDefaults) as ComparableDefinition | undefined;
    return { name, source: sourceOf(source), ...changed };
  },
  create: (client, desired, options) =>
    client.subscriptions.define(String(desired.name), desired as unknown as SubscriptionInput, options),
  change: (client, desired, options) =>
    client.subscriptions.define(String(desired.name), desired as unknown as SubscriptionInput, options),
  delete: (client, name, { signal }) => client.subscriptions.delete(name, { signal }),
  needs: ({ source }) => streamsOf(source),
  provides: ({ name }) => [`subscription:${String(name)}`],
};

/** Returns the texts of all members with this name, at any depth, because operators nest. */
function textsUnder(value: unknown, member: string): string[] {
  return membersUnder(value, member).filter((inner) => typeof inner === 'string');
}

/** Returns the values of all members with this name, at any depth outside of another one. */
function membersUnder(value: unknown, member: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) =>
    name === member ? [inner] : membersUnder(inner, member),
  );
}

const keyMembers = membersOf<ApiKeyInput>({
  name: true,
  scopes: true,
  streams: true,
  rate_limit: true,
  expires_at: true,
});

/** Keys. Keys are compared by name and found by id; revoked and expired keys are ignored. */
export const keyResource: ResourceOperations = {
  kind: 'key',
  columns: members('key_id', 'name', 'status', 'scopes', 'streams', 'created_at', 'expires_at'),
  members: keyMembers,
  namedBy: ['name'],
  optional: ['expires_at'],
  fixed: keyMembers,
  prunable: false,
  list: (client, options) => client.keys.list({}, options),
  get: (client, keyId, options) => client.keys.get(keyId, options),
  nameOf: ({ name }) => String(name),
  definitionOf: (item) => {
    const { scopes, streams, ...rest } = pick(item, keyMembers);
    return {
      ...rest,
      scopes: sortedNames(scopes),
      ...(streams !== undefined && { streams: sortedNames(streams) }),
    };
  },
  create: (client, desired, options) => client.keys.issue(desired as unknown as ApiKeyInput, options),
  delete: (client, keyId, { signal }) => client.keys.revoke(keyId, { signal }),
  needs: () => [],
  provides: () => [],
};

/** Whether a key is active. */
export function isActive(key: object): boolean {
  return (key as ApiKey).status === 'active';
}

/** Every kind of resource; kinds that others depend on come first. */
export const resources: readonly ResourceOperations[] = [
  streamResource,
  schemaResource,
  projectionResource,
  pipelineResource,
  subscriptionResource,
  keyResource,
];

export const plurals: readonly string[] = resources.map(({ kind }) => `${kind}s`);

/** Returns the positional argument `KIND`, which accepts each kind in the singular and the plural. */
export function kindPositional(kinds: readonly string[]): Positional {
  return { name: 'KIND', oneOf: kinds, also: kinds.map((kind) => kind.replace(/s$/, '')), about: 'kind' };
}

/** Finds a kind by its singular or plural. @throws UsageError for an unknown word */
export function resourceOf(word: string): ResourceOperations {
  const found = resources.find(({ kind }) => word === kind || word === `${kind}s`);
  if (found) return found;
  throw new UsageError(`"${word}" is not a kind of definition. The kinds are: ${plurals.join(', ')}.`);
}
