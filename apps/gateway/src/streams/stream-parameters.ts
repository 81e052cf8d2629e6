import { IsDefined, IsOptional, ValidateIf } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { IsRetention, IsSnapshotEvery, type Retention } from '#api';
import { limits } from '#event';
import { Confirmation } from '../parameters/decorators.js';

/** What of a stream can be changed; one of them at least. */
@JSONSchema({ additionalProperties: false, minProperties: 1 })
export class StreamChange {
  @ValidateIf(({ retention, snapshot_every }: StreamChange) => {
    return retention !== undefined || snapshot_every == null;
  })
  @IsDefined()
  @IsRetention(
    'It replaces the whole retention that there was: a bound that is left out is taken away. `{"bytes": 1000}` keeps ' +
      'no bound of time; send both to keep both. `unlimited` takes both away.',
  )
  retention?: Retention;

  @IsOptional()
  @IsSnapshotEvery()
  snapshot_every?: number | null;
}

export class StreamDeletionParameters {
  @Confirmation(limits.streamCharacters, 'The name of the stream once more: there is no way back.', 'orders')
  confirm?: string;
}
