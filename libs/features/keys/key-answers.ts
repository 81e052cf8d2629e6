import { Type } from 'class-transformer';
import { Allow, IsArray, IsIn, IsString, ValidateNested } from 'class-validator';
import type { EpochMicros } from '#json';
import type { ApiKeyDefinition } from '#registry';
import { scopes } from '#http';
import { ListAnswer, Nullable, JsonSchemaPart } from '#gateway-kit';
import { keyStatus, keyStatuses, secretWorks, type KeyStatus } from './key-changes.js';

const time = { type: 'string', format: 'date-time' } as const;

const perSecond = { type: 'integer', minimum: 1 } as const;

/** OpenAPI schema of an API key: id, name, scopes, streams, limits and expiry, without the text of the key. */
export class KeyAnswer {
  @IsString() key_id: string;
  @IsString() name: string;
  @IsIn(keyStatuses) status: KeyStatus;
  @IsArray() @IsIn(scopes, { each: true }) scopes: readonly string[];
  @Allow()
  @JsonSchemaPart({
    type: ['array', 'null'],
    items: { type: 'string' },
    description: 'Stream names and patterns. Null: every stream.',
  })
  streams: readonly string[] | null;
  @Allow()
  @JsonSchemaPart({
    type: ['object', 'null'],
    properties: { events_per_second: perSecond, requests_per_second: perSecond },
    description: 'Limits per second, on each instance. Null: no limit.',
  })
  rate_limit: ApiKeyDefinition['rate_limit'] | null;
  @JsonSchemaPart(time) @IsString() created_at: string;
  @Nullable('string', { format: 'date-time' }) expires_at: string | null;
  @Nullable('string', { format: 'date-time' }) rotated_at: string | null;
  @Nullable('string', {
    format: 'date-time',
    description: 'Time until which secrets from before the last rotation are valid; null when none is.',
  })
  overlap_until: string | null;
  @Nullable('string', { format: 'date-time' }) revoked_at: string | null;
}

/** OpenAPI schema of the answer that issues or rotates an API key. Only this answer contains the text of the key. */
export class IssuedKeyAnswer extends KeyAnswer {
  @IsString()
  @JsonSchemaPart({
    description:
      '`trb_<key_id>_<secret>_<checksum>`: send it as `Authorization: Bearer <key>`. It is not stored.',
  })
  key: string;
}

/** Answer of `GET /api/v1/keys`: one page of API keys. */
export class KeyList extends ListAnswer {
  @IsArray() @ValidateNested({ each: true }) @Type(() => KeyAnswer) keys: KeyAnswer[];
}

/** Converts a key to its form in the API. */
export function keyAnswer(key: ApiKeyDefinition, now: EpochMicros): KeyAnswer {
  const { key_id, name, scopes, streams, rate_limit, created_at, expires_at, rotated_at, revoked_at } = key;
  const status = keyStatus(key, now);
  const older = key.secrets.slice(1).filter((secret) => status === 'active' && secretWorks(secret, now));
  const ends = older.map(({ expires_at: end }) => end ?? '').sort();
  return {
    key_id,
    name,
    status,
    scopes,
    streams: streams ?? null,
    rate_limit: rate_limit ?? null,
    created_at,
    expires_at: expires_at ?? null,
    rotated_at: rotated_at ?? null,
    overlap_until: ends.at(-1) ?? null,
    revoked_at: revoked_at ?? null,
  };
}
