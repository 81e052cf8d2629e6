import { limits } from '#event';
import { Schema } from '../openapi/schema.js';
import { Confirmation, OneStream } from '../parameters/decorators.js';

export class ErasureParameters {
  @OneStream()
  @Schema({ description: 'The stream that the entity is erased from.', example: 'orders' })
  stream: string;

  @Confirmation(
    limits.entityIdCharacters,
    'The id of the entity once more: there is no way back.',
    'order-17',
  )
  confirm?: string;
}
