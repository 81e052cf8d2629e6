import { IsBoolean, IsInt, IsString, Min } from 'class-validator';
import { JsonSchemaPart } from '#gateway-kit';

/** Answer of `DELETE /api/v1/entities/{entity_id}`. */
export class ErasureAnswer {
  @IsString() stream: string;
  @IsString() entity_id: string;
  @IsInt()
  @Min(0)
  @JsonSchemaPart({ description: 'Events that were deleted from the store.' })
  events_erased: number;
  @IsBoolean()
  @JsonSchemaPart({
    description:
      'True when the materializer was too far behind: events of the entity that were written before this ' +
      'request may still appear, for some minutes at most (`JANITOR_MINUTES`).',
  })
  pending: boolean;
  @JsonSchemaPart({ type: 'string', format: 'date-time' }) @IsString() erased_at: string;
}
