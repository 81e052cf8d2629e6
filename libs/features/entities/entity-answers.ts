import { Type } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Min,
  ValidateNested,
} from 'class-validator';
import { formatTime } from '#json';
import {
  snapshotId,
  type EntityStateAtVersion,
  type EntitySnapshot,
  type EntitySnapshotReason,
} from '#features/entities/state';
import type { CursorPage } from '#store';
import { ListAnswer, Nullable, JsonSchemaPart } from '#gateway-kit';

const time = { type: 'string', format: 'date-time' } as const;
const foldOf = 'The `data` of the events up to this version, applied in order as merge patches (RFC 7396).';

/** An entity in a list: its stream, id and latest version, without its state. */
class EntityAnswer {
  @IsString() stream: string;
  @IsString() entity_id: string;
  @IsInt() @Min(1) version: number;
  @JsonSchemaPart(time) @IsString() last_timestamp: string;
}

/** Answer of `GET /api/v1/entities`: one page of entities. */
export class EntityList {
  @IsArray() @ValidateNested({ each: true }) @Type(() => EntityAnswer) entities: EntityAnswer[];
  @IsInt() @Min(0) count: number;
  @IsBoolean() has_more: boolean;
  @Nullable('string') next_cursor: string | null;
}

/** OpenAPI schema of an entity's state: the merged `data` of its events. `entityStateJson` writes the answer. */
export class EntityStateAnswer {
  @IsString() stream: string;
  @IsString() entity_id: string;
  @IsInt()
  @Min(1)
  @JsonSchemaPart({ description: 'Version of the last event in the state.' })
  version: number;
  @JsonSchemaPart({ ...time, description: 'Timestamp of the last event in the state.' })
  @IsString()
  timestamp: string;
  @IsObject() @JsonSchemaPart({ description: foldOf }) state: object;
  @Nullable('integer', {
    description: 'Version of the snapshot on which the state is based; null without one.',
  })
  from_snapshot: number | null;
}

/** OpenAPI schema of a stored snapshot of an entity, without the member `state`. `snapshotFacts` writes the answer. */
class SnapshotFacts {
  @IsString() snapshot_id: string;
  @IsString() stream: string;
  @IsString() entity_id: string;
  @IsInt() @Min(1) version: number;
  @JsonSchemaPart({ ...time, description: 'Timestamp of the event with this version.' })
  @IsString()
  timestamp: string;
  @JsonSchemaPart(time) @IsString() created_at: string;
  @IsIn(['automatic', 'requested']) reason: EntitySnapshotReason;
}

/** OpenAPI schema of an entity snapshot in a list: its version and time, and the entity's state at that version. */
class SnapshotAnswer extends SnapshotFacts {
  @IsObject() @JsonSchemaPart({ description: foldOf }) state: object;
}

/**
 * OpenAPI schema of the answer to `POST /api/v1/snapshots`. The member `state` is omitted for a key without the scope
 * `events:read`.
 */
export class CreatedSnapshotAnswer extends SnapshotFacts {
  @IsOptional()
  @IsObject()
  @JsonSchemaPart({ description: `${foldOf} Omitted for a key without the scope \`events:read\`.` })
  state?: object;
}

/** Answer of `GET /api/v1/snapshots`: one page of entity snapshots. */
export class SnapshotList extends ListAnswer {
  @IsArray() @ValidateNested({ each: true }) @Type(() => SnapshotAnswer) snapshots: SnapshotAnswer[];
}

/**
 * Returns the JSON of an entity's state. The state is copied as text: parsing and printing it again would change large
 * numbers.
 */
export function entityStateJson(
  { stream, entityId }: { stream: string; entityId: string },
  { version, last, state, from }: EntityStateAtVersion,
): string {
  return (
    `{"stream":${JSON.stringify(stream)},"entity_id":${JSON.stringify(entityId)},"version":${version}` +
    `,"timestamp":"${formatTime(last.timestamp)}","state":${state},"from_snapshot":${from?.version ?? null}}`
  );
}

export function snapshotJson(snapshot: EntitySnapshot): string {
  return `${snapshotFacts(snapshot)},"state":${snapshot.state}}`;
}

export function snapshotJsonWithoutState(snapshot: EntitySnapshot): string {
  return `${snapshotFacts(snapshot)}}`;
}

/** Returns the beginning of a snapshot's JSON object: every member except `state`, without the closing brace. */
function snapshotFacts(snapshot: EntitySnapshot): string {
  const { stream, entity_id, version, last, created_at, reason } = snapshot;
  return (
    `{"snapshot_id":"${snapshotId(snapshot)}","stream":${JSON.stringify(stream)}` +
    `,"entity_id":${JSON.stringify(entity_id)},"version":${version},"timestamp":"${formatTime(last.timestamp)}"` +
    `,"created_at":"${formatTime(created_at)}","reason":"${reason}"`
  );
}

export function snapshotListJson(page: CursorPage<EntitySnapshot> & { total: number }): string {
  const { items, total, nextCursor } = page;
  const end = `"has_more":${nextCursor !== undefined},"next_cursor":${JSON.stringify(nextCursor ?? null)}`;
  return `{"snapshots":[${items.map(snapshotJson).join(',')}],"total":${total},${end}}`;
}
