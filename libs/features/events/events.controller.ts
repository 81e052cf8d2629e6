import { Controller, Get, Header, Inject, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { STORE } from '#app';
import { ProblemError } from '#api';
import { eventToJson } from '#event';
import { formatTime } from '#json';
import { DisconnectSignal, InjectPrincipal, Principal, Query, RequireScope } from '#http';
import type { Store } from '#store';
import {
  StreamReadAuthorizer,
  pageMediaType,
  pageMediaTypes,
  ApiAnswer,
  Bulkhead,
  Problems,
  consistentReadProblems,
  instantPrefix,
  jsonType,
  missingShardsHeader,
  readPresentShards,
  resumedRange,
  storeAndLogProblems,
  UuidInPath,
  withoutInstant,
} from '#gateway-kit';
import { zoneDataVersion } from '#cel';
import { estimates } from './quantile-estimates.js';
import { calendarStarts, maxBuckets, requireWithinBucketLimit } from './bucket-limit.js';
import { EventAnswer, EventCount, EventPage } from './event-answers.js';
import {
  EventByIdParameters,
  EventCountParameters,
  EventQueryParameters,
  LiveEventStreamParameters,
} from './event-parameters.js';
import './event-problems.js';
import {
  sendStreamHeaders,
  DescribeEventStream,
  eventStreamType,
  requireEventStreamAccepted,
} from './live/event-stream-answer.js';
import { WhereHintReader } from './hints/where-hint-reader.js';
import { LiveStreamOpener } from './live/live-stream-opener.js';
import { sendPage } from './send-page.js';

/** Reads events. The ids of the operations are those of earlier releases: generated clients name methods by them. */
@ApiTags('events')
@Controller('api/v1/events')
export class EventReadController {
  constructor(
    @Inject(STORE) private readonly store: Pick<Store, 'reader' | 'partialReader'>,
    private readonly bulkhead: Bulkhead,
    private readonly streams: StreamReadAuthorizer,
    private readonly live: LiveStreamOpener,
    private readonly hints: WhereHintReader,
  ) {}

  @Get('query')
  @RequireScope('events:read')
  @ApiOperation({
    operationId: 'EventQueryController_query',
    summary: 'Query events',
    description:
      'A page of events, ordered by their timestamps. `Accept` selects JSON, NDJSON ' +
      '(`application/x-ndjson`, one event per line), CSV (`text/csv`) or CloudEvents ' +
      '(`application/cloudevents-batch+json`). `next_cursor` is the cursor of the next page; the headers ' +
      '`X-Next-Cursor` and `Link` (`rel="next"`) have it too. In CSV, an apostrophe precedes each ' +
      'character that could start a spreadsheet formula; NDJSON has the exact text. CSV columns: ' +
      'event_id, stream, event_type, entity_id, version, timestamp, ingested_at, schema_version, ' +
      'partition, offset, metadata, data.',
  })
  @ApiAnswer(EventPage, { description: 'A page of events.', text: pageMediaTypes.slice(1) })
  @Problems(
    'invalid_cursor',
    'invalid_expression',
    'stream_not_found',
    'not_acceptable',
    consistentReadProblems,
  )
  async query(
    @Query() { filter, wait_for: positions, partial, order, limit, cursor }: EventQueryParameters,
    @InjectPrincipal() { access }: Principal,
    @DisconnectSignal() client: AbortSignal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const type = pageMediaType(request.headers.accept);
    const scope = await this.streams.of({ access, streams: filter.streams, positions, client });
    const prefix = instantPrefix(request.query, filter);
    const query = { ...scope, ...filter, order, limit, cursor: withoutInstant(cursor, prefix) };
    const { answer, missingShards } = await this.bulkhead.run(client, (signal) =>
      readPresentShards(this.store, partial, (reader) => reader.query(query, signal)),
    );
    const { nextCursor: next, items } = answer;
    const nextCursor = next && prefix + next;
    const isEmpty = items.length === 0 && cursor === undefined && type === 'application/json';
    const hints =
      isEmpty && !missingShards ? await this.hints.of({ ...scope, ...filter }, client) : undefined;
    sendPage({ ...answer, nextCursor, missingShards, hints }, type, { request, reply });
  }

  @Get('count')
  @RequireScope('events:read')
  @ApiOperation({
    operationId: 'EventCountController_count',
    summary: 'Count events',
    description:
      'The number of events: in total, or for each value of a field (`group_by`) and each time bucket ' +
      `(\`interval\`, or \`calendar\` in local time), with quantiles of a number of the events (\`quantile\`). Empty buckets are omitted. A request for more than ${maxBuckets} buckets is ` +
      'refused.',
  })
  @ApiAnswer(EventCount, { description: 'The counts.' })
  @Problems('invalid_expression', 'stream_not_found', consistentReadProblems)
  async count(
    @Query() parameters: EventCountParameters,
    @InjectPrincipal() { access }: Principal,
    @DisconnectSignal() client: AbortSignal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<EventCount> {
    const { filter, wait_for: positions, partial, group_by: groupBy, interval, time, quantiles } = parameters;
    const bucketStarts = calendarStarts(parameters);
    const scope = await this.streams.of({ access, streams: filter.streams, positions, client });
    const counted = { groupBy, intervalSeconds: interval, bucketStarts, time, quantiles };
    const query = { ...scope, ...filter, ...counted, limit: maxBuckets + 1 };
    const { answer, missingShards } = await this.bulkhead.run(client, (signal) =>
      readPresentShards(this.store, partial, (reader) => reader.count(query, signal)),
    );
    const { buckets, total } = answer;
    void reply.headers(missingShardsHeader(missingShards));
    requireWithinBucketLimit(buckets);
    const answers = buckets.map(({ start, group, count, quantiles: bins }) => ({
      ...(start !== undefined && { start: formatTime(start) }),
      ...(group !== undefined && { group }),
      count,
      ...(bins && quantiles && { quantiles: estimates(quantiles, bins) }),
    }));
    // A count by time or group mostly accompanies a query, which has the hints.
    const isPlain = !groupBy && !interval && !bucketStarts && time === 'timestamp';
    const hints =
      isPlain && total === 0 && !missingShards
        ? await this.hints.of({ ...scope, ...filter }, client)
        : undefined;
    return {
      buckets: answers,
      total,
      ...(bucketStarts && { zone_data: zoneDataVersion }),
      ...(missingShards && { missing_shards: missingShards }),
      ...(hints && { hints }),
    };
  }

  @Get('stream')
  @RequireScope('events:read')
  @ApiOperation({
    operationId: 'EventStreamController_stream',
    summary: 'Follow events',
    description:
      'Server-Sent Events. Each event that can be queried is a message `event`. Its `data` is the event ' +
      'as in a query, or in the JSON format of CloudEvents with `format=cloudevents`; its `id` is opaque. ' +
      'With `Last-Event-ID`, the last id that was received, the stream first sends all events after that ' +
      'id, so no event is lost. No event is repeated while ids are shorter than events. A longer id is ' +
      'sent only after as many characters of events, and events since the last id may then be repeated. ' +
      'Without `Last-Event-ID`, the stream starts now, or with `since` at the beginning of what is ' +
      'stored. Events of one partition arrive in the order of their offsets. An event that is stored ' +
      'late, with an early timestamp, arrives when it is stored. With `delivery=accepted`, each event is ' +
      'sent as soon as it is accepted, before it can be queried. A comment is sent every 15 seconds. ' +
      'Before the server ends a stream, a message `error` gives the reason as a problem document: ' +
      '`overloaded` for a client that is too slow, `shutting_down`, `invalid_token` for a key that was ' +
      'revoked or has expired, `stream_not_found` for a stream that was deleted, `query_too_expensive` ' +
      'for a `where` that needs too many steps for the arriving events.',
  })
  @DescribeEventStream('The last id that was received. The other parameters must be the same.')
  @Problems('invalid_cursor', 'invalid_expression', 'stream_not_found', 'not_acceptable', storeAndLogProblems)
  async stream(
    @Query() { filter, format, delivery }: LiveEventStreamParameters,
    @InjectPrincipal() caller: Principal,
    @DisconnectSignal() client: AbortSignal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    requireEventStreamAccepted(request.headers.accept);
    const { access } = await this.streams.of({ access: caller.access, streams: filter.streams, client });
    if (request.method === 'HEAD') return void reply.header('content-type', eventStreamType).send();
    const lastEventId = request.headers['last-event-id']?.toString();
    const range = resumedRange(request.query, filter, lastEventId);
    const opened = {
      question: { ...filter, ...range, instantPrefix: instantPrefix(request.query, range), access },
      format,
      delivery,
      lastEventId,
      requestId: request.id,
      caller,
    };
    await this.live.open(opened, () => sendStreamHeaders(reply), client);
  }

  @Get(':event_id')
  @RequireScope('events:read')
  @ApiOperation({ operationId: 'EventController_event', summary: 'Get one event by its id' })
  @ApiAnswer(EventAnswer, { description: 'The event.' })
  @Problems('event_not_found', 'stream_not_found', consistentReadProblems)
  @Header('content-type', jsonType)
  async event(
    @UuidInPath('event_id') eventId: string,
    @Query() { wait_for: positions }: EventByIdParameters,
    @InjectPrincipal() { access }: Principal,
    @DisconnectSignal() client: AbortSignal,
  ): Promise<string> {
    await this.streams.of({ access, positions, client });
    const query = { ...this.streams.ofAny(access), eventId };
    const event = await this.bulkhead.run(client, (signal) => this.store.reader.byId(query, signal));
    if (event) return eventToJson(event);
    throw new ProblemError('event_not_found', 'There is no event with this id, or it cannot be queried yet.');
  }
}
