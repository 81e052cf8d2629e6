import { limits } from '#event';
import { Schema } from '../openapi/schema.js';
import { OneStream, Parameter, Text } from '../parameters/decorators.js';

export class ErasureParameters {
  @OneStream()
  @Schema({ description: 'The stream that the entity is erased from.', example: 'orders' })
  stream: string;

  @Text(limits.entityIdCharacters)
  @Parameter('The id of the entity once more: there is no way back.', 'order-17')
  confirm?: string;
}
