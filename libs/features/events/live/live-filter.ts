import { permitsStream, type StreamAccess } from '#api';
import type { EventFilter, AuthorizationScope } from '#store';
import { compileCondition, type CelObject } from '#cel';
import { storedEventVariable, eventValue } from '#dataflow';
import { cloudEventJson, eventToJson, streamSource, type StoredEvent } from '#event';
import { parseTime, type EpochMicros } from '#json';
import { onOneLine } from '#gateway-kit';
import { bindingOf } from './live-position.js';

/** Formats of an event in a live stream; the first is the default. */
export const eventFormats = ['event', 'cloudevents'] as const;
/** Format of an event in a live stream: the API's own JSON, or CloudEvents 1.0. */
export type LiveEventJsonFormat = (typeof eventFormats)[number];

const encode: Record<LiveEventJsonFormat, (event: StoredEvent) => string> = {
  event: eventToJson,
  cloudevents: (event) => cloudEventJson(event, streamSource(event.stream)),
};

/**
 * A stored event on its way to many live streams, which share its JSON text and its CEL value. Each form is computed
 * when a stream first needs it.
 */
export class LiveEvent {
  private readonly texts: Partial<Record<LiveEventJsonFormat, string>> = {};
  private time: EpochMicros | undefined;
  private asValue: CelObject | undefined;

  constructor(readonly event: StoredEvent) {}

  /** Returns the event's JSON on one line, with `data` and `metadata` as they were sent. */
  json(format: LiveEventJsonFormat): string {
    return (this.texts[format] ??= onOneLine(encode[format](this.event)));
  }

  /** Number of characters of `data` and `metadata` together. */
  get size(): number {
    return this.event.data.length + this.event.metadata.length;
  }

  get timestamp(): EpochMicros {
    return (this.time ??= parseTime(this.event.timestamp) ?? NaN);
  }

  /** The event as a value of expressions. */
  get value(): CelObject {
    return (this.asValue ??= eventValue(this.event));
  }
}

/** The event filters of a live stream's request, and the streams that its caller may see. */
export type LiveSelection = Omit<EventFilter, keyof AuthorizationScope> & {
  access: StreamAccess;
  /** The text that precedes ids, if the request has relative times: see `instantPrefix`. */
  instantPrefix?: string;
};

/**
 * Evaluates the filters of a query for one event at a time. `where` has the same CEL semantics as in queries, whose
 * translation to SQL is tested against this evaluation. An event for which `where` has no value does not match, as in
 * queries.
 */
export class LiveFilter {
  /** Hash of the filters, after their `instantPrefix`. A `Last-Event-ID` is valid only for a live stream whose filters have the same hash. */
  readonly binding: string;
  private readonly streams: ReadonlySet<string> | undefined;
  private readonly eventTypes: ReadonlySet<string> | undefined;
  private readonly entityIds: ReadonlySet<string> | undefined;
  private readonly where: ((event: LiveEvent) => boolean) | undefined;

  /** @throws InvalidCelExpressionError for a `where` that cannot be compiled */
  constructor(readonly question: LiveSelection) {
    this.binding = (question.instantPrefix ?? '') + bindingOf(boundTo(question));
    this.streams = question.streams && new Set(question.streams);
    this.eventTypes = question.eventTypes && new Set(question.eventTypes);
    this.entityIds = question.entityIds && new Set(question.entityIds);
    this.where = question.where && compiled(question.where);
  }

  /** Whether the filter evaluates an expression; otherwise it only compares fields. */
  get evaluates(): boolean {
    return this.where !== undefined;
  }

  wants(stream: string): boolean {
    return permitsStream(this.question.access, stream) && (this.streams?.has(stream) ?? true);
  }

  /** Whether an event of a wanted stream matches the filters. */
  matches(live: LiveEvent): boolean {
    const { eventTypePrefix = '', since, until } = this.question;
    const { event_type: type, entity_id: entity } = live.event;
    if (this.eventTypes && !this.eventTypes.has(type)) return false;
    if (this.entityIds && (entity === null || !this.entityIds.has(entity))) return false;
    if (!type.startsWith(eventTypePrefix)) return false;
    if (since !== undefined && live.timestamp < since) return false;
    if (until !== undefined && live.timestamp >= until) return false;
    return this.where?.(live) ?? true;
  }
}

function compiled(where: NonNullable<EventFilter['where']>): (event: LiveEvent) => boolean {
  const run = compileCondition(where, storedEventVariable);
  return (event) => run(event.value);
}

/** Returns everything that selects events. The access is not included, because it is checked for each event. */
function boundTo(question: LiveSelection): unknown {
  const sorted = (values?: readonly string[]) => (values ? [...values].sort() : null);
  const { streams, eventTypes, entityIds, eventTypePrefix, since, until, where } = question;
  const lists = [streams, eventTypes, entityIds].map(sorted);
  const text = JSON.stringify(where ?? null, (_, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
  return [...lists, eventTypePrefix ?? null, since ?? null, until ?? null, text];
}
