import type { EpochMicros } from '#json';
import type { HasCrossFieldCheck } from '#http';
import { Flag, Parameter, Text, Time, PageParameters, requireTimeRange } from '#gateway-kit';

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
