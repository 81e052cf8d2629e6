export type { AppendOptions, DecideFunction, DecideOptions, VersionedState } from './appending/append.js';
export * from './errors/problem-classes.js';
export * from './errors/tributary-error.js';
export type { CallOptions, Fetch } from './http/http-client.js';
export type { ProjectionChangeMessage } from './live/live-requests.js';
export { LiveStream, type LiveOptions } from './live/live-stream.js';
export { eventFromText } from './producer/event-text.js';
export type { EventPosition } from './producer/pending-event.js';
export { Producer, type ProducerOptions, type SendOptions } from './producer/producer.js';
export type { StoredEvent } from './reading/exact-reader.js';
export type * from './reading/states.js';
export { Pages, type Page } from './reading/pages.js';
export { SqlRow, SqlRows } from './reading/sql-rows.js';
export type { DeadLetters, ReplayOptions } from './resources/dead-letters.js';
export type {
  ChangesOptions,
  Pipelines,
  Projections,
  ReplaceOptions,
  Subscriptions,
} from './resources/definitions.js';
export type { Entities, Snapshots } from './resources/entities.js';
export type { ApiKeys } from './resources/keys.js';
export type { Schemas } from './resources/schemas.js';
export type { ParkedEvent, ParkedSelection, SubscriptionClient } from './resources/subscription.js';
export type { Streams } from './resources/streams.js';
export { visibleText } from './text/visible-text.js';
export { Tributary, type TributaryOptions } from './tributary.js';
export type * from './types/index.js';
