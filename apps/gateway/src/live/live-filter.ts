import { permitsStream, type StreamAccess } from '#api';
import type { EventFilter, Permitted } from '#store';
import { compileCondition } from '#cel';
import type { LiveEvent } from './live-event.js';
import { bindingOf } from './live-position.js';

/** Which events, and what of them the asker may see. */
export type LiveQuestion = Omit<EventFilter, keyof Permitted> & { access: StreamAccess };

/**
 * The filters of a query, for one event at a time. `where` is evaluated by the same definition of CEL that its
 * translation to SQL is tested against; an event for which it has no value does not match, as in queries.
 */
export class LiveFilter {
  /** What a position of these filters is bound to. */
  readonly binding: string;
  private readonly streams: ReadonlySet<string> | undefined;
  private readonly eventTypes: ReadonlySet<string> | undefined;
  private readonly entityIds: ReadonlySet<string> | undefined;
  private readonly where: ((event: LiveEvent) => boolean) | undefined;

  /** @throws ExpressionError for a `where` that cannot be compiled */
  constructor(readonly question: LiveQuestion) {
    this.binding = bindingOf(boundTo(question));
    this.streams = question.streams && new Set(question.streams);
    this.eventTypes = question.eventTypes && new Set(question.eventTypes);
    this.entityIds = question.entityIds && new Set(question.entityIds);
    this.where = question.where && compiled(question.where);
  }

  /** Whether events are evaluated; else they are only compared. */
  get evaluates(): boolean {
    return this.where !== undefined;
  }

  wants(stream: string): boolean {
    return permitsStream(this.question.access, stream) && (this.streams?.has(stream) ?? true);
  }

  /** Whether an event of a stream that is wanted is one of those that were asked for. */
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
  const run = compileCondition(where);
  return (event) => run(event.value);
}

/** Everything that decides which events come; not the access, which is looked at anew each time. */
function boundTo(question: LiveQuestion): unknown {
  const sorted = (values?: readonly string[]) => (values ? [...values].sort() : null);
  const { streams, eventTypes, entityIds, eventTypePrefix, since, until, where } = question;
  const lists = [streams, eventTypes, entityIds].map(sorted);
  const text = JSON.stringify(where ?? null, (_, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
  return [...lists, eventTypePrefix ?? null, since ?? null, until ?? null, text];
}
