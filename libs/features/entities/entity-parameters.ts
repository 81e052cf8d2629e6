import { IsString, Matches } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { Characters, plainTextPattern, ProblemError } from '#api';
import { limits, streamNamePattern, streamNameRule } from '#event';
import { type EpochMicros, hasCharacters } from '#json';
import { type HasCrossFieldCheck, PathParameter } from '#http';
import {
  JsonSchemaPart,
  OneStreamName,
  Parameter,
  Positions,
  Text,
  Time,
  PageParameters,
  type ConsistencyToken,
} from '#gateway-kit';

/** Query parameters of `GET /api/v1/entities`. */
export class EntityListParameters extends PageParameters {
  @OneStreamName()
  @Parameter('Only entities of this stream.', 'orders')
  stream?: string;
}

/** Query parameters of `GET /api/v1/entities/{entity_id}/state`. */
export class EntityStateParameters {
  @OneStreamName()
  @JsonSchemaPart({ description: 'The stream of the entity.', example: 'orders' })
  stream: string;

  @Time('The state as of this time, from events with a timestamp up to and including it')
  as_of?: EpochMicros;

  @Positions()
  wait_for?: ConsistencyToken[];
}

/** Query parameters of `GET /api/v1/snapshots`. */
export class SnapshotListParameters extends PageParameters implements HasCrossFieldCheck {
  @OneStreamName()
  @Parameter('Only snapshots of this stream. One of `stream` and `entity_id` is required.', 'orders')
  stream?: string;

  @Text(limits.entityIdCharacters)
  @Parameter('Only snapshots of this entity. One of `stream` and `entity_id` is required.', 'order-17')
  entity_id?: string;

  requireConsistent(): void {
    if (this.stream !== undefined || this.entity_id !== undefined) return;
    const detail = 'send stream, entity_id, or both';
    const errors = ['stream', 'entity_id'].map((pointer) => ({ pointer, detail }));
    throw new ProblemError('invalid_request', 'The parameter stream or entity_id is required.', { errors });
  }
}

/** Body of `POST /api/v1/snapshots`: the entity of which to store a snapshot. */
@JSONSchema({
  additionalProperties: false,
  example: { stream: 'orders', entity_id: 'order-17' },
})
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

const described = {
  name: 'entity_id',
  description: 'The id of the entity, percent-encoded: `a/b` is `a%2Fb`.',
  schema: { type: 'string', minLength: 1, maxLength: limits.entityIdCharacters, example: 'order-17' },
} as const;

/** Injects the entity id from the path of the URL, which answers 400 if it is not valid. */
export function EntityId(): ParameterDecorator {
  return PathParameter(described, (entityId) => {
    const most = limits.entityIdCharacters;
    if (hasCharacters(entityId, { most }) && plainTextPattern.test(entityId)) return entityId;
    const detail = `must be 1 to ${most} characters without control characters`;
    throw new ProblemError('invalid_request', `The entity_id in the path ${detail}.`, {
      errors: [{ pointer: 'entity_id', detail }],
    });
  });
}
