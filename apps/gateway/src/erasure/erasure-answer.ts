import { IsBoolean, IsInt, IsString, Min } from 'class-validator';
import { Schema } from '../openapi/schema.js';

export class ErasureAnswer {
  @IsString() stream: string;
  @IsString() entity_id: string;
  @IsInt()
  @Min(0)
  @Schema({ description: 'Events that were deleted from the store.' })
  events_erased: number;
  @IsBoolean()
  @Schema({
    description:
      'True when the materializer was too far behind: events of the entity that were written before this ' +
      'request may still appear, for some minutes at most (`JANITOR_MINUTES`).',
  })
  pending: boolean;
  @Schema({ type: 'string', format: 'date-time' }) @IsString() erased_at: string;
}
