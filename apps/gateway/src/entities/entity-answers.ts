import { Type } from 'class-transformer';
import { IsArray, IsIn, IsInt, IsObject, IsOptional, IsString, Min, ValidateNested } from 'class-validator';
import { formatTime } from '#event';
import { snapshotId, type FoldedEntity } from '#entities';
import type { EntitySnapshot, Page, SnapshotReason } from '#store';
import { ListAnswer } from '../lists/list-answer.js';
import { Nullable } from '../openapi/nullable.js';
import { Schema } from '../openapi/schema.js';

const time = { type: 'string', format: 'date-time' } as const;
const foldOf = 'The `data` of its events, applied one after the other as merge patches (RFC 7396).';

/** What an entity is like. `entityStateJson` writes it. */
export class EntityStateAnswer {
  @IsString() stream: string;
  @IsString() entity_id: string;
  @IsInt() @Min(1) @Schema({ description: 'Of the last event in it.' }) version: number;
  @Schema({ ...time, description: 'Of the last event in it.' }) @IsString() timestamp: string;
  @IsObject() @Schema({ description: foldOf }) state: object;
  @Nullable('integer', { description: 'The version of the snapshot that it was started from.' })
  from_snapshot: number | null;
}

/** What a snapshot is of. `snapshotJson` writes it. */
class SnapshotFacts {
  @IsString() snapshot_id: string;
  @IsString() stream: string;
  @IsString() entity_id: string;
  @IsInt() @Min(1) version: number;
  @Schema({ ...time, description: 'Of the event of its version.' }) @IsString() timestamp: string;
  @Schema(time) @IsString() created_at: string;
  @IsIn(['automatic', 'requested']) reason: SnapshotReason;
}

/** A snapshot. */
export class SnapshotAnswer extends SnapshotFacts {
  @IsObject() @Schema({ description: foldOf }) state: object;
}

/** A snapshot that was asked for. Only those who may read events are told its state. */
export class MadeSnapshotAnswer extends SnapshotFacts {
  @IsOptional()
  @IsObject()
  @Schema({ description: `${foldOf} Left out for a key without the scope \`events:read\`.` })
  state?: object;
}

export class SnapshotList extends ListAnswer {
  @IsArray() @ValidateNested({ each: true }) @Type(() => SnapshotAnswer) snapshots: SnapshotAnswer[];
}

/** States are put in as the text they are: parsing and printing them again would change big numbers. */
export function entityStateJson(
  { stream, entityId }: { stream: string; entityId: string },
  { version, last, state, from }: FoldedEntity,
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

/** All but its state; the closing brace is still missing. */
function snapshotFacts(snapshot: EntitySnapshot): string {
  const { stream, entity_id, version, last, created_at, reason } = snapshot;
  return (
    `{"snapshot_id":"${snapshotId(snapshot)}","stream":${JSON.stringify(stream)}` +
    `,"entity_id":${JSON.stringify(entity_id)},"version":${version},"timestamp":"${formatTime(last.timestamp)}"` +
    `,"created_at":"${formatTime(created_at)}","reason":"${reason}"`
  );
}

export function snapshotListJson({
  items,
  total,
  nextCursor,
}: Page<EntitySnapshot> & { total: number }): string {
  const end = `"has_more":${nextCursor !== undefined},"next_cursor":${JSON.stringify(nextCursor ?? null)}`;
  return `{"snapshots":[${items.map(snapshotJson).join(',')}],"total":${total},${end}}`;
}
