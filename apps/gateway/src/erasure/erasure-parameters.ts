import { limits } from '#event';
import { Schema } from '../openapi/schema.js';
import { Confirmation, OneStream } from '../parameters/decorators.js';

export class ErasureParameters {
  @OneStream()
  @Schema({ description: 'The stream from which the entity is erased.', example: 'orders' })
  stream: string;

  @Confirmation(
    limits.entityIdCharacters,
    'The id of the entity again: the erasure cannot be undone.',
    'order-17',
  )
  confirm?: string;
}
