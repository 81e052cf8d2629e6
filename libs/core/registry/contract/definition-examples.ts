import { createHash } from 'node:crypto';
import type { Erasure } from '../erasures/erasure-kind.js';
import type { ApiKeyDefinition } from '../keys/key-kind.js';
import type { Actor } from '../resources/resource-store.js';
import type { PipelineDefinition } from '#features/pipelines/definition';
import type { ProjectionGeneration, ProjectionDefinition } from '#features/projections/definition';
import type { SubscriptionDefinition } from '#features/subscriptions/definition';
import type { SchemaSubject } from '../schemas/schema-kind.js';

/** An actor with an API key. */
export const ada: Actor = { key_id: 'ada', port: 'query', request_id: 'req-1' };

export const someTime = '2026-11-21T04:00:00.000000Z';

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Returns a change function that adds a schema version with this title. */
export function addVersion(title: string): (current: SchemaSubject | undefined) => SchemaSubject {
  return (current) => {
    const versions = current?.versions ?? [];
    const version = { version: versions.length + 1, schema: { title }, created_at: someTime };
    const settings = current ?? { compatibility: 'none' as const, mode: 'enforce' as const };
    const subject = { stream: 'orders', event_type: 'order.placed', retired: false };
    return { ...subject, ...settings, versions: [...versions, version] };
  };
}

/** Returns the titles of a subject's versions, oldest first. */
export function titles(subject: SchemaSubject | undefined): string[] {
  return (subject?.versions ?? []).map(({ schema }) => (schema as { title: string }).title);
}

export function aKey(key_id: string, more: Partial<ApiKeyDefinition> = {}): ApiKeyDefinition {
  const secrets = [{ sha256: sha256(key_id) }];
  return { key_id, name: `${key_id}'s`, secrets, scopes: ['events:read'], created_at: someTime, ...more };
}

/** Returns a generation of the projection `revenue`, which folds `orders` and `refunds`. */
export function aGeneration(id: string, more: Partial<ProjectionGeneration> = {}): ProjectionGeneration {
  return {
    id: id.padEnd(24, '0'),
    version: 1,
    spec: {
      source: { streams: ['orders', 'refunds'], event_types: ['order.placed'], where: 'true' },
      key: 'event.data.currency',
      fields: { orders: { op: 'count' }, revenue: { op: 'sum', value: 'event.data.amount' } },
      from: 'now',
    },
    sources: {
      orders: { id: 'orders#1', starts: [0, 17] },
      refunds: { id: 'refunds#1', starts: [3] },
    },
    started_at: someTime,
    ...more,
  };
}

export function aProjection(more: Partial<ProjectionDefinition> = {}): ProjectionDefinition {
  return {
    ...{ name: 'revenue', version: 1, created_at: someTime, paused: false },
    ...{ serving: null, building: aGeneration('a'), failure: null },
    ...more,
  };
}

/** Returns a pipeline `big`, which reads `orders` and `refunds`. */
export function aPipeline(more: Partial<PipelineDefinition> = {}): PipelineDefinition {
  return {
    ...{ name: 'big', version: 1, created_at: someTime, paused: false, failure: null },
    spec: {
      source: {
        ...{ streams: ['orders', 'refunds'], event_types: ['order.placed'], where: 'true' },
        idle_after: '1m',
      },
      operators: [
        { filter: 'event.data.amount > 100.0' },
        { window: { tumbling: '1m', key: 'event.data.currency', lateness: '10s' } },
        { reduce: { orders: { op: 'count' } } },
        { emit: { stream: 'minutes' } },
      ],
      from: 'now',
    },
    run: {
      id: 'a'.repeat(24),
      sources: {
        orders: { id: 'orders#1', starts: [0, 17] },
        refunds: { id: 'refunds#1' },
      },
      started_at: someTime,
    },
    ...more,
  };
}

/** Returns a subscription `billing`, which reads `orders` and `refunds`. */
export function aSubscription(more: Partial<SubscriptionDefinition> = {}): SubscriptionDefinition {
  return {
    ...{ name: 'billing', version: 1, created_at: someTime, paused: false, failure: null },
    spec: {
      source: { streams: ['orders', 'refunds'], event_types: ['order.placed'], where: 'true' },
      ...{ from: someTime, order: 'entity', parked_blocks: true, ack_within: '30s' },
      retry: { attempts: 8, backoff: { first: '1s', factor: 1.5, most: '1h' } },
      max_outstanding: 1000,
    },
    run: {
      id: 'a'.repeat(24),
      sources: {
        orders: { id: 'orders#1', starts: [0, 17] },
        refunds: { id: 'refunds#1' },
      },
      started_at: someTime,
    },
    token_key: 'k'.repeat(43),
    ...more,
  };
}

export function anErasure(entity: string): Erasure {
  return {
    ...{ stream: 'people#1' as const, entity_hash: sha256(entity) },
    ...{ before: { '0': 7, '3': 0 }, erased_at: someTime },
  };
}
