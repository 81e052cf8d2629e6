import { IsIn } from 'class-validator';
import { ProblemError } from '#api';
import { limits } from '#event';
import type { HasCrossFieldCheck } from '#http';
import { foldLimits } from '#dataflow';
import { Cursor, PageLimit, Parameter, Positions, Text, type ConsistencyToken } from '#gateway-kit';

const fieldCharacters = 64;

/** Query parameters of a read of one key's state. */
export class ProjectionKeyStateParameters {
  @Positions()
  wait_for?: ConsistencyToken[];
}

/** Query parameters of `GET /api/v1/projections/{name}/state`. */
export class ProjectionStatesParameters extends ProjectionKeyStateParameters implements HasCrossFieldCheck {
  @Text(foldLimits.keyCharacters)
  @Parameter('Only keys that start with this.', 'EUR')
  prefix?: string;

  @Text(fieldCharacters)
  @Parameter(
    'Sorts by this field of the state, nulls last, and by key where values are equal. Without it, ' +
      'states are sorted by key. At most 20 000 keys can be sorted: narrow more with prefix.',
    'revenue',
  )
  order_by?: string;

  @IsIn(['asc', 'desc'])
  @Parameter('Direction in which the values of `order_by` are sorted.')
  order: 'asc' | 'desc' = 'asc';

  @PageLimit()
  limit: number = limits.pageDefault;

  @Cursor()
  cursor?: string;

  requireConsistent(): void {
    if (this.order === 'asc' || this.order_by !== undefined) return;
    const detail = 'needs order_by: without it, states are sorted by key, ascending';
    throw new ProblemError('invalid_request', `The parameter order ${detail}.`, {
      errors: [{ pointer: 'order', detail }],
    });
  }
}
