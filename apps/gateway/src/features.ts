import type { Feature } from '#app';
import { cloudevents } from '#features/cloudevents';
import { deadLetters } from '#features/dead-letters';
import { entities } from '#features/entities';
import { erasures } from '#features/erasures';
import { events } from '#features/events';
import { exports } from '#features/exports';
import { health } from '#features/health';
import { keys } from '#features/keys';
import { otlp } from '#features/otlp';
import { pipelines } from '#features/pipelines';
import { projections } from '#features/projections';
import { raw } from '#features/raw';
import { schemas } from '#features/schemas';
import { scrub } from '#features/scrub';
import { sql } from '#features/sql';
import { streams } from '#features/streams';
import { subscriptions } from '#features/subscriptions';

/** The features of the gateway, in the order of the OpenAPI document. */
export const features: readonly Feature[] = [
  events,
  exports,
  streams,
  entities,
  erasures,
  deadLetters,
  keys,
  schemas,
  projections,
  pipelines,
  subscriptions,
  health,
  scrub,
  sql,
  raw,
  cloudevents,
  otlp,
];
