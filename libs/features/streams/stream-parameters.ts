import { IsDefined, IsOptional, ValidateIf } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { IsRetention, IsSnapshotEvery, type StreamRetention } from '#api';
import { limits } from '#event';
import { Confirmation } from '#gateway-kit';

/** Body of `PATCH /api/v1/streams/{stream}`: the members to change, at least one. */
@JSONSchema({
  additionalProperties: false,
  minProperties: 1,
  example: { retention: { time: '30d' } },
})
export class StreamChangeInput {
  @ValidateIf((input: StreamChangeInput) => input.retention !== undefined || input.snapshot_every == null)
  @IsDefined()
  @IsRetention(
    'Replaces the whole retention. A limit that is left out is removed: `{"bytes": 1000}` removes the ' +
      'limit by time. Send both limits to keep both. `unlimited` removes both.',
  )
  retention?: StreamRetention;

  @IsOptional()
  @IsSnapshotEvery()
  snapshot_every?: number | null;
}

/** Query parameters of `DELETE /api/v1/streams/{stream}`. */
export class StreamDeletionParameters {
  @Confirmation(
    limits.streamCharacters,
    'The name of the stream again: the deletion cannot be undone.',
    'orders',
  )
  confirm?: string;
}
