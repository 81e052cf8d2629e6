import { path } from '../http/address.js';
import type { JsonApiClient } from '../http/api.js';
import type { CallOptions } from '../http/http-client.js';
import { membersOf } from '../json/json-text.js';
import { readEvent, type StoredEvent } from '../reading/exact-reader.js';
import type { Pages } from '../reading/pages.js';
import type { ApiSchemas } from '../types/api-schemas.js';
import type { JsonObject, ListQuery } from '../types/index.js';

/** An event that a subscription hands out to nobody until it is replayed. */
export interface ParkedEvent<Data = JsonObject> extends Readonly<
  Omit<ApiSchemas['ParkedEventAnswer'], 'event'>
> {
  /** The event; null if it was erased, or its stream was deleted. */
  readonly event: StoredEvent<Data> | null;
}

/** Parked events: those with these ids, or all. */
export type ParkedSelection = { ids: readonly string[] } | { all: true };

/** `client.subscription(name)`: the parked events of one subscription, and its position. */
export class SubscriptionClient {
  constructor(
    private readonly api: JsonApiClient,
    private readonly name: string,
  ) {}

  /** Lists the parked events, by stream, partition and offset. */
  parked<Data = JsonObject>(query: ListQuery = {}, options: CallOptions = {}): Pages<ParkedEvent<Data>> {
    const list = { path: this.path('parked'), name: 'parked', query };
    return this.api.list({ ...list, readItem: readParked<Data> }, options);
  }

  /** Hands parked events out again, with all their attempts. Resolves with their number. */
  replay(which: ParkedSelection, options: CallOptions = {}): Promise<{ events: number }> {
    return this.api.change('POST', this.path('parked/replay'), { body: which, ...options });
  }

  /** Removes parked events for good: they are never handed out again. Resolves with their number. */
  discard(which: ParkedSelection, options: CallOptions = {}): Promise<{ events: number }> {
    return this.api.change('POST', this.path('parked/discard'), { body: which, ...options });
  }

  /**
   * Moves the subscription to the beginning, to now, or to an instant. What is handed out, waits or is parked is
   * forgotten.
   */
  seek(to: string, options: CallOptions = {}): Promise<void> {
    return this.api.change('POST', this.path('seek'), { body: { to }, ...options });
  }

  private path(part: string): string {
    return `${path`/api/v1/subscriptions/${this.name}`}/${part}`;
  }
}

function readParked<Data>(text: string): ParkedEvent<Data> {
  const event = membersOf(text).get('event') ?? 'null';
  return {
    ...(JSON.parse(text) as ApiSchemas['ParkedEventAnswer']),
    event: event === 'null' ? null : readEvent<Data>(event),
  };
}
