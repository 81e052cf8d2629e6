import type { Micros } from '#event';
import type { Consistent } from '#http';
import { Flag, Parameter, Text, Time } from '../parameters/decorators.js';
import { PageParameters } from '../parameters/page-parameters.js';
import { requireTimeRange } from '../parameters/time-range.js';

export class DeadLetterListParameters extends PageParameters implements Consistent {
  @Text(300)
  @Parameter(
    'Only those that this gave up on: `materializer`, `projection:<name>` or `pipeline:<name>`.',
    'materializer',
  )
  source?: string;

  @Flag('Only those that were replayed, or only those that were not.')
  replayed?: boolean;

  @Time('Only those made at this time or later')
  since?: Micros;

  @Time('Only those made before this time')
  until?: Micros;

  requireConsistent(): void {
    requireTimeRange(this);
  }
}
