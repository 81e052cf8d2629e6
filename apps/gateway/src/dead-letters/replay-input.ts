import { ArrayMaxSize, ArrayMinSize, IsArray, IsOptional } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { Characters, ProblemError } from '#api';
import type { Consistent } from '#http';
import { maxDeadLetterIds } from '#store';
import { Schema } from '../openapi/schema.js';
import { Flag } from '../parameters/decorators.js';
import type { LetterChoice } from './chosen-letters.js';

/** Which dead letters: those of `ids`, or all of `source` that have not been replayed. One of the two. */
@JSONSchema({ additionalProperties: false })
export class ReplayInput implements Consistent {
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

  requireConsistent(): void {
    const { ids, source, cursor } = this;
    if (ids ? !source && !cursor : source) return;
    const detail = cursor && ids ? 'goes with source, not with ids' : 'send either ids or source';
    const errors = [{ pointer: cursor && ids ? '/cursor' : '', detail }];
    const what = 'Send the ids of dead letters, or the source of which to take all.';
    throw new ProblemError('invalid_request', what, { errors });
  }

  get choice(): LetterChoice {
    const { ids, source, cursor } = this;
    return ids ? { ids } : { source: source ?? '', cursor: cursor ?? undefined };
  }
}

export class ReplayParameters {
  @Flag('Says what would be done, and does nothing.')
  @Schema({ default: false })
  dry_run = false;
}
