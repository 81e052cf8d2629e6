import { limits } from '#event';
import { Schema } from '../openapi/schema.js';
import { Cursor, OneStream, PageLimit, Parameter, Positions, Text, Time } from '../parameters/decorators.js';

export class EntityStateParameters {
  @OneStream()
  @Schema({ description: 'The stream of the entity.', example: 'orders' })
  stream: string;

  @Time('The state as of this time: of the events that had happened by then, inclusive')
  as_of?: string;

  @Positions()
  wait_for?: string[];
}

export class SnapshotListParameters {
  @OneStream()
  @Parameter('Only snapshots of this stream. One of `stream` and `entity_id` is required.', 'orders')
  stream?: string;

  @Text(limits.entityIdCharacters)
  @Parameter('Only snapshots of this entity. One of `stream` and `entity_id` is required.', 'order-17')
  entity_id?: string;

  @PageLimit()
  limit: number = limits.pageDefault;

  @Cursor()
  cursor?: string;
}
