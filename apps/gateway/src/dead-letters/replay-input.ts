import { ArrayMaxSize, ArrayMinSize, IsArray, IsBoolean, IsOptional } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { Characters, FromText } from '#api';
import { maxDeadLetterIds } from '#store';
import { Schema } from '../openapi/schema.js';
import { Parameter } from '../parameters/decorators.js';

/** Which dead letters: those of `ids`, or all of `source` that have not been replayed. One of the two. */
@JSONSchema({ additionalProperties: false })
export class ReplayInput {
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(maxDeadLetterIds)
  @Characters({ most: 4096 }, { each: true })
  @Schema({ description: 'Their ids.' })
  ids?: string[] | null;

  @IsOptional()
  @Characters({ most: 300 })
  @Schema({ description: 'Who gave up on them.', example: 'materializer' })
  source?: string | null;

  @IsOptional()
  @Characters({ most: 4096 })
  @Schema({ description: '`next_cursor` of the answer before, with the same `source`.' })
  cursor?: string | null;
}

export class ReplayParameters {
  @FromText('boolean')
  @IsBoolean({ message: 'must be true or false' })
  @Parameter('Says what would be done, and does nothing.')
  @Schema({ type: 'boolean', default: false })
  dry_run = false;
}
