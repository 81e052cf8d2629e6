import { InvalidAnswerError } from '../errors/tributary-error.js';
import { elementsOf, membersOf } from '../json/json-text.js';
import type { ApiSchemas } from '../types/api-schemas.js';
import type { JsonObject } from '../types/index.js';
import { readEvent, type StoredEvent } from './exact-reader.js';

/** An event that a subscription has handed out, and the token that acknowledges it. */
export interface ReceivedEvent<Data = JsonObject> extends Omit<ApiSchemas['HandedOutEventAnswer'], 'event'> {
  event: StoredEvent<Data>;
}

/** A parked event in a list. */
export interface ParkedEvent<Data = JsonObject> extends Omit<ApiSchemas['ParkedEventAnswer'], 'event'> {
  /** The event; null if it was erased, or its stream was deleted. */
  event: StoredEvent<Data> | null;
}

/** Parses the answer of `receive`. @throws InvalidAnswerError */
export function readReceivedEvents<Data>(text: string): ReceivedEvent<Data>[] {
  const events = membersOf(text).get('events');
  if (events === undefined) throw new InvalidAnswerError('The answer has no "events".');
  return elementsOf(events).map((item) => withExactEvent<ReceivedEvent<Data>>(item));
}

/** Parses one item of a list of parked events. */
export function readParkedEvent<Data>(text: string): ParkedEvent<Data> {
  return withExactEvent<ParkedEvent<Data>>(text);
}

/** Parses an object whose member `event` is an event, with every digit of its data. */
function withExactEvent<T>(text: string): T {
  const entries = [...membersOf(text)].map(([name, value]) => {
    const isEvent = name === 'event' && value !== 'null';
    return [name, isEvent ? readEvent(value) : (JSON.parse(value) as unknown)] as const;
  });
  return Object.fromEntries(entries) as T;
}
