import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { STORE } from '#app';
import { formatTime } from '#json';
import { DisconnectSignal, InjectPrincipal, Principal, Query, RequireScope } from '#http';
import type { StoredEventCountBucket, EventReader } from '#store';
import { StreamReadAuthorizer, ApiAnswer, Bulkhead, Problems, consistentReadProblems } from '#gateway-kit';
import { maxBuckets, requireWithinBucketLimit } from './bucket-limit.js';
import { EventCount, type EventCountBucket } from './event-answers.js';
import { EventCountParameters } from './event-parameters.js';

/** `GET /api/v1/events/count`. */
@ApiTags('events')
@Controller('api/v1/events')
export class EventCountController {
  constructor(
    @Inject(STORE) private readonly store: { reader: EventReader },
    private readonly bulkhead: Bulkhead,
    private readonly streams: StreamReadAuthorizer,
  ) {}

  @Get('count')
  @RequireScope('events:read')
  @ApiOperation({
    summary: 'Count events',
    description:
      'The number of events: in total, or for each value of a field (`group_by`) and each time bucket ' +
      `(\`interval\`). Empty buckets are omitted. A request for more than ${maxBuckets} buckets is ` +
      'refused.',
  })
  @ApiAnswer(EventCount, { description: 'The counts.' })
  @Problems('invalid_expression', 'stream_not_found', consistentReadProblems)
  async count(
    @Query() { filter, wait_for: positions, group_by: groupBy, interval, time }: EventCountParameters,
    @InjectPrincipal() { access }: Principal,
    @DisconnectSignal() client: AbortSignal,
  ): Promise<EventCount> {
    const permitted = await this.streams.of({ access, streams: filter.streams, positions, client });
    const counted = { groupBy, intervalSeconds: interval, time, limit: maxBuckets + 1 };
    const query = { ...permitted, ...filter, ...counted };
    const { buckets, total } = await this.bulkhead.run(client, (signal) =>
      this.store.reader.count(query, signal),
    );
    requireWithinBucketLimit(buckets);
    return { buckets: buckets.map(bucketAnswer), total };
  }
}

function bucketAnswer({ start, group, count }: StoredEventCountBucket): EventCountBucket {
  return {
    ...(start !== undefined && { start: formatTime(start) }),
    ...(group !== undefined && { group }),
    count,
  };
}
