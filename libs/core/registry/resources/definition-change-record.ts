import { randomUUID } from 'node:crypto';
import type { ConsumerRecord, ProducerRecord } from '#kafka';
import { Allow, IsOptional } from 'class-validator';
import { isJsonObject, jsonValue } from '#json';
import { readDefinition } from './read-definition.js';
import { AreWholeNumbersByName, IsCount, IsTime, Nested } from './record-members.js';
import { Actor } from './resource-store.js';
import { UnreadableDefinitionError, type StoredDefinitionPart } from './resource-kind.js';

/**
 * One record of the definitions topic. Each record has a unique key, `<kind>:<identity,
 * percent-encoded>:<slot>:<uuid>`, so that compaction removes the record only after a tombstone. The value of a record
 * is
 *
 *     {"revision":3,"changed_at":"…","changed_by":{"key_id":"…"|null,"port":"core","request_id":"…"|null},
 *      "keeps":{"1":1,"2":2},"definition":{…}}
 *
 * A slot is the number of a sub-record: a definition may consist of several records that change separately. `revision`
 * counts the changes of the definition. If several records claim a revision, the lowest offset wins. `keeps` names the
 * other slots that remain current, each with the revision that wrote it. The record of a removal has `"removed":true`
 * instead of a definition. The record of a removal remains as long as older records of the definition may exist.
 */
export interface DefinitionChangeRecord extends DefinitionRecordKey {
  revision: number;
  /** Time of the change, as RFC 3339. */
  changed_at: string;
  changed_by: Actor;
  keeps: Readonly<Record<string, number>>;
  /** The content of the sub-record; undefined in the record of a removal. */
  body: Record<string, unknown> | undefined;
}

/** The JSON value of a record. A record with `removed` has no definition. */
class RecordValue {
  @IsCount() revision: number;
  @IsTime() changed_at: string;
  @Nested(() => Actor) changed_by: Actor;
  @IsOptional() @AreWholeNumbersByName() keeps?: Readonly<Record<string, number>>;
  @IsOptional() @Allow() removed?: unknown;
  @IsOptional() @Allow() definition?: unknown;
}

/** The parsed key of a record of the definitions topic. */
export interface DefinitionRecordKey {
  kind: string;
  identity: string;
  slot: string;
  /** A UUID that makes the key of the record unique. */
  id: string;
}

/** Returns the key of a new record. The record of a removal (`part` is undefined) has an empty slot. */
export function newKey(
  kind: string,
  identity: string,
  part: StoredDefinitionPart | undefined,
): DefinitionRecordKey {
  return { kind, identity, slot: part?.slot ?? '', id: randomUUID() };
}

/** Returns the text of a record's key. */
export function keyText({ kind, identity, slot, id }: DefinitionRecordKey): string {
  return `${kind}:${encodeURIComponent(identity)}:${slot}:${id}`;
}

/** Encodes a definition record as the log record that is appended to the definitions topic. */
export function writeRecord(
  topic: string,
  record: DefinitionChangeRecord,
): ProducerRecord & { value: string } {
  const { revision, changed_at, changed_by, keeps, body } = record;
  const value = {
    revision,
    changed_at,
    changed_by,
    ...(Object.keys(keeps).length > 0 && { keeps }),
    ...(body ? { definition: body } : { removed: true }),
  };
  return { topic, key: keyText(record), value: JSON.stringify(value) };
}

/** The names of kinds that keys of records can contain. */
export const kindPattern = /^[a-z_]{1,32}$/;
const keyPattern = /^([a-z_]{1,32}):([^:]{1,4096}):([A-Za-z0-9_-]{0,64}):([0-9a-f-]{36})$/;

/** Parses the key of a record of the definitions topic. @throws UnreadableDefinitionError if it has another form */
export function readKey(key: ConsumerRecord['key']): DefinitionRecordKey {
  const match = keyPattern.exec(key?.toString() ?? '');
  if (!match) throw new UnreadableDefinitionError('the key is not kind:name:slot:id');
  const [, kind, identity, slot, id] = match as unknown as [string, string, string, string, string];
  return { kind, identity: decoded(identity), slot, id };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new UnreadableDefinitionError('the name is not percent-encoded');
  }
}

/**
 * Parses the value of a record of the definitions topic that is not a tombstone. @throws UnreadableDefinitionError if
 * it has another form
 */
export function readRecord(key: DefinitionRecordKey, value: Buffer): DefinitionChangeRecord {
  const parsed = jsonValue(value.toString());
  if (parsed === undefined) throw new UnreadableDefinitionError('the value is not JSON');
  const { keeps = {}, removed, definition, ...change } = readDefinition(RecordValue, parsed);
  if (removed !== undefined) return { ...key, ...change, keeps, body: undefined };
  if (isJsonObject(definition)) return { ...key, ...change, keeps, body: definition };
  throw new UnreadableDefinitionError('the record has no definition');
}
