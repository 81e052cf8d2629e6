import { limits, streamNamePattern, uuidPattern, type EventRecord } from '#event';
import { parseTime, type EpochMicros } from '#json';
import type { RecordPosition } from '#kafka';
import { duplicateMember } from './duplicate-member.js';
import type { ScannedEvent } from './event-scan.js';
import type { EventSchema, EventSchemaFinder } from './event-schema.js';
import { EventRejection, type RejectedEventRangeAndIds } from './rejection.js';
import type { UuidV7Generator } from './uuid-v7.js';
import { eventErrors, isEvent } from './validate-event.js';

/**
 * An event of a write request that passed validation, ready to be appended, with its position in the request. `data`
 * and `metadata` are the client's own text.
 */
export interface AcceptedEvent extends EventRecord {
  stream: string;
  /** The version that the entity must have for the write to be accepted; null for an unconditional event. */
  expected_version: number | null;
  /** The schema that `data` was found to match during the scan; undefined if the match must be checked later. */
  fits: EventSchema | undefined;
  /** `start` and `end`: position of the event in the text of its request. */
  start: number;
  end: number;
}

/** An event whose record Kafka has acknowledged, with its partition and offset. */
export interface AppendedEvent {
  event: AcceptedEvent;
  position: RecordPosition;
  /**
   * For an accepted conditional event, the version that it gave its entity; null if the event was erased meanwhile.
   * Undefined for an unconditional event.
   */
  version?: number | null;
  /** Set if an accepted conditional event was accepted before, from an earlier record. */
  repeated?: true;
}

/** What the parsers of one write request share: ingest time, id generator, schemas, and the text of the body. */
export interface EventParserInputs {
  ingestedAt: EpochMicros;
  ids: Pick<UuidV7Generator, 'next'>;
  /** The body of the request as text, or the events that were converted from it. */
  text: string;
  /** Whether the body was not UTF-8: U+FFFD stands in `text` for what was not. */
  isRepaired?: boolean;
  /** Undefined if schemas are not checked. */
  schemas: EventSchemaFinder | undefined;
}

/**
 * Validates one event by all rules and sets defaults for missing fields. @param pointer JSON pointer to the event:
 * `/events/3`, or an empty text if the event is the whole body
 */
export function readEvent(
  found: ScannedEvent,
  pointer: string,
  inputs: EventParserInputs,
): AcceptedEvent | EventRejection {
  const event = checked(found, pointer, inputs);
  return event instanceof EventRejection ? event.of(sentEvent(found, inputs)) : event;
}

function checked(
  found: ScannedEvent,
  pointer: string,
  inputs: EventParserInputs,
): AcceptedEvent | EventRejection {
  const { envelope } = found;
  if (isLong(inputs.text, found)) return tooLarge(pointer);
  if (isDamaged(inputs, found)) return damaged(pointer);
  if (!isEvent(envelope)) return invalid(eventErrors(pointer));
  if (found.duplicate) return duplicate(inputs.text, found, pointer);
  const timestamp = envelope.timestamp == null ? inputs.ingestedAt : parseTime(envelope.timestamp);
  if (timestamp === undefined) return invalid([{ pointer: `${pointer}/timestamp`, detail: timeRule }]);
  const expected_version = envelope.expected_version ?? null;
  if (expected_version !== null && envelope.entity_id == null)
    return invalid([{ pointer: `${pointer}/expected_version`, detail: expectedVersionRule }]);
  return {
    stream: envelope.stream,
    expected_version,
    event_id: envelope.event_id == null ? inputs.ids.next() : envelope.event_id.toLowerCase(),
    event_type: envelope.event_type,
    entity_id: envelope.entity_id ?? null,
    timestamp,
    ingested_at: inputs.ingestedAt,
    schema_version: null,
    metadata: found.metadata,
    data: found.data,
    fits: found.fits,
    start: found.start,
    end: found.end,
  };
}

/** Returns the position of a rejected event and its valid fields, with which it can be kept in its stream. */
function sentEvent(
  { envelope, start, end }: ScannedEvent,
  { ids }: EventParserInputs,
): RejectedEventRangeAndIds {
  const { stream, entity_id, event_id } = envelope as Partial<Record<string, unknown>>;
  const isName = typeof stream === 'string' && streamNamePattern.test(stream);
  const isId = typeof event_id === 'string' && uuidPattern.test(event_id);
  return {
    ...{ start, end },
    stream: isName ? stream : undefined,
    entity_id: typeof entity_id === 'string' ? entity_id : null,
    event_id: isId ? event_id.toLowerCase() : ids.next(),
  };
}

export const expectedVersionRule = 'needs an entity_id';
export const timeRule = 'must be an RFC 3339 time such as 2026-11-21T04:00:00Z, from 1900 up to 2200';

/** Returns whether the value may contain bytes that were not UTF-8. */
export function isDamaged(
  { text, isRepaired }: EventParserInputs,
  { start, end }: { start: number; end: number },
): boolean {
  return isRepaired === true && text.slice(start, end).includes('\ufffd');
}

/** Why a value was rejected whose bytes are not kept: U+FFFD stands for some of them. */
export const damagedDetail = 'The value is not valid UTF-8.';

export function damaged(pointer: string): EventRejection {
  return new EventRejection('invalid_json', damagedDetail, [
    { pointer, detail: 'has bytes that are not UTF-8; U+FFFD stands for them' },
  ]);
}

/**
 * Returns whether the text of an event has more bytes than allowed. A short text cannot have, so bytes are counted only
 * for a long one.
 */
export function isLong(text: string, { start, end }: { start: number; end: number }): boolean {
  if ((end - start) * 3 <= limits.eventBytes) return false;
  return Buffer.byteLength(text.slice(start, end)) > limits.eventBytes;
}

export function tooLarge(pointer: string): EventRejection {
  const detail = `An event is at most ${limits.eventBytes} bytes of JSON.`;
  return new EventRejection('payload_too_large', detail, [{ pointer, detail: 'is too large' }]);
}

/** Returns the rejection of the value between `start` and `end`, which has two members with the same name. */
export function duplicate(
  text: string,
  { start, end }: { start: number; end: number },
  pointer: string,
): EventRejection {
  const member = duplicateMember(text.slice(start, end)) ?? '';
  return invalid([
    {
      pointer: pointer + member,
      detail: 'is given twice: an object may not have two members of the same name',
    },
  ]);
}

export function invalid(errors: EventRejection['errors']): EventRejection {
  return new EventRejection('invalid_request', 'The event is not valid.', errors);
}
