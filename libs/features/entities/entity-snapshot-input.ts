import { IsString, Matches } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { Characters, plainTextPattern } from '#api';
import { limits, streamNamePattern, streamNameRule } from '#event';
import { JsonSchemaPart } from '#gateway-kit';

/** Body of `POST /api/v1/snapshots`: the entity of which to store a snapshot. */
@JSONSchema({ additionalProperties: false })
export class EntitySnapshotInput {
  @IsString()
  @Matches(streamNamePattern, { message: streamNameRule })
  @JsonSchemaPart({ example: 'orders' })
  stream: string;

  @Characters({ most: limits.entityIdCharacters })
  @Matches(plainTextPattern, { message: 'must have no control characters' })
  @JsonSchemaPart({ example: 'order-17' })
  entity_id: string;
}
