import { ArrayMaxSize, ArrayMinSize, IsArray, IsOptional } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { Characters, ProblemError } from '#api';
import type { Consistent } from '#http';
import { maxDeadLetterIds } from '#store';
import { Schema } from '../openapi/schema.js';
import { Flag } from '../parameters/decorators.js';
import type { LetterChoice } from './chosen-letters.js';

/** Selects dead letters: either those of `ids`, or all of `source` that have not been replayed. */
@JSONSchema({ additionalProperties: false })
export class ReplayInput implements Consistent {
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(maxDeadLetterIds)
  @Characters({ most: 4096 }, { each: true })
  @Schema({ description: 'Ids of the dead letters.' })
  ids?: string[] | null;

  @IsOptional()
  @Characters({ most: 300 })
  @Schema({ description: 'Source of the dead letters.', example: 'materializer' })
  source?: string | null;

  @IsOptional()
  @Characters({ most: 4096 })
  @Schema({ description: '`next_cursor` of the previous answer, with the same `source`.' })
  cursor?: string | null;

  requireConsistent(): void {
    const { ids, source, cursor } = this;
    if (ids ? !source && !cursor : source) return;
    const detail = cursor && ids ? 'can be sent with source, not with ids' : 'send either ids or source';
    const errors = [{ pointer: cursor && ids ? '/cursor' : '', detail }];
    const what = 'Send either the ids of dead letters, or a source to replay all of its dead letters.';
    throw new ProblemError('invalid_request', what, { errors });
  }

  get choice(): LetterChoice {
    const { ids, source, cursor } = this;
    return ids ? { ids } : { source: source ?? '', cursor: cursor ?? undefined };
  }
}

export class ReplayParameters {
  @Flag('Returns what the request would do, and changes nothing.')
  @Schema({ default: false })
  dry_run = false;
}
