import { ArrayMaxSize, ArrayMinSize, IsArray, IsOptional } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { Characters, ProblemError } from '#api';
import type { HasCrossFieldCheck } from '#http';
import type { EpochMicros } from '#json';
import { maxDeadLetterIds } from '#store';
import { Flag, JsonSchemaPart, PageParameters, Parameter, requireTimeRange, Text, Time } from '#gateway-kit';

/**
 * Dead letters to replay: those with these ids, or all of one source (such as `materializer`) that have not been
 * replayed.
 */
export type ReplaySelection = { ids: readonly string[] } | { source: string; cursor?: string | undefined };

/** Selects dead letters: either those of `ids`, or all of `source` that have not been replayed. */
@JSONSchema({
  additionalProperties: false,
  example: { source: 'materializer' },
})
export class ReplayInput implements HasCrossFieldCheck {
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(maxDeadLetterIds)
  @Characters({ most: 4096 }, { each: true })
  @JsonSchemaPart({ description: 'Ids of the dead letters.' })
  ids?: string[] | null;

  @IsOptional()
  @Characters({ most: 300 })
  @JsonSchemaPart({ description: 'Source of the dead letters.', example: 'materializer' })
  source?: string | null;

  @IsOptional()
  @Characters({ most: 4096 })
  @JsonSchemaPart({ description: '`next_cursor` of the previous answer, with the same `source`.' })
  cursor?: string | null;

  requireConsistent(): void {
    const { ids, source, cursor } = this;
    if (ids ? !source && !cursor : source) return;
    const detail = cursor && ids ? 'can be sent with source, not with ids' : 'send either ids or source';
    const errors = [{ pointer: cursor && ids ? '/cursor' : '', detail }];
    const what = 'Send either the ids of dead letters, or a source to replay all of its dead letters.';
    throw new ProblemError('invalid_request', what, { errors });
  }

  get choice(): ReplaySelection {
    const { ids, source, cursor } = this;
    return ids ? { ids } : { source: source ?? '', cursor: cursor ?? undefined };
  }
}

/** Query parameters of `POST /api/v1/dead-letters/replay`. */
export class ReplayParameters {
  @Flag('Returns what the request would do, and changes nothing.')
  @JsonSchemaPart({ default: false })
  dry_run = false;
}

/** Query parameters of `GET /api/v1/dead-letters`. */
export class DeadLetterListParameters extends PageParameters implements HasCrossFieldCheck {
  @Text(300)
  @Parameter(
    'Only dead letters of this source: `materializer`, `projection:<name>` or `pipeline:<name>`.',
    'materializer',
  )
  source?: string;

  @Flag('`true`: only dead letters that were replayed. `false`: only those that were not.')
  replayed?: boolean;

  @Time('Only dead letters created at this time or later')
  since?: EpochMicros;

  @Time('Only dead letters created before this time')
  until?: EpochMicros;

  requireConsistent(): void {
    requireTimeRange(this);
  }
}
