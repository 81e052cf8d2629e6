import type { EventSchema, EventSchemaFinder } from './event-schema.js';
import type { ParsedEvents } from './read-request.js';

/** The schemas that the write path enforces: a service of the feature `schemas`. Without it, no event has a schema. */
export abstract class EventSchemas implements EventSchemaFinder {
  abstract find(stream: string, eventType: string): EventSchema | undefined;

  /**
   * Sets `schema_version` of each event that matches its schema. In the mode `enforce`, an event that does not match is
   * replaced by a rejection. In the mode `warn`, it is counted and remains unchanged.
   * @param pointerTo Returns the JSON pointer to an event of the request
   * @throws Error when a schema cannot be compiled
   */
  abstract check(events: ParsedEvents, pointerTo: (index: number) => string): Promise<void>;
}
