import { limits } from '#event';
import { JsonSchemaPart, Confirmation, OneStreamName } from '#gateway-kit';

/** Query parameters of `DELETE /api/v1/entities/{entity_id}`. */
export class ErasureParameters {
  @OneStreamName()
  @JsonSchemaPart({ description: 'The stream from which the entity is erased.', example: 'orders' })
  stream: string;

  @Confirmation(
    limits.entityIdCharacters,
    'The id of the entity again: the erasure cannot be undone.',
    'order-17',
  )
  confirm?: string;
}
