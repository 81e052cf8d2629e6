import { IsIn } from 'class-validator';
import { limits } from '#event';
import { foldLimits } from '#dataflow';
import { Cursor, PageLimit, Parameter, Positions, Text } from '../../parameters/decorators.js';

const fieldCharacters = 64;

export class ProjectionKeyParameters {
  @Positions()
  wait_for?: string[];
}

export class ProjectionStatesParameters extends ProjectionKeyParameters {
  @Text(foldLimits.keyCharacters)
  @Parameter('Only keys that begin with this.', 'EUR')
  prefix?: string;

  @Text(fieldCharacters)
  @Parameter(
    'Sorts by this field of the state, its nulls last, and by key where values are equal; without it by key. Up to ' +
      '20 000 keys are sorted: for more, narrow them with prefix.',
    'revenue',
  )
  order_by?: string;

  @IsIn(['asc', 'desc'])
  @Parameter('Of the values of `order_by`.')
  order: 'asc' | 'desc' = 'asc';

  @PageLimit()
  limit: number = limits.pageDefault;

  @Cursor()
  cursor?: string;
}
