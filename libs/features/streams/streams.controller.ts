import { Controller, Delete, Get, HttpCode, Inject, Patch } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { DEFINITIONS, STORE } from '#app';
import { permitsStream, ProblemError, type StreamAccess } from '#api';
import type { Definitions, StreamDefinition } from '#registry';
import type { EventReader, EventRemover, StreamSummary } from '#store';
import {
  DisconnectSignal,
  AlwaysAnswered,
  Body,
  InjectPrincipal,
  Principal,
  Query,
  RequireScope,
} from '#http';
import {
  StreamReadAuthorizer,
  pageByName,
  requireConfirmation,
  ApiAnswer,
  Bulkhead,
  NoContent,
  PageParameters,
  Problems,
  bodyProblems,
  changeProblems,
  storeProblems,
} from '#gateway-kit';
import { IdWindowDurationReader } from './id-windows.js';
import { requireChangeable, StreamName } from './named-stream.js';
import { removesEvents } from './shorter-retention.js';
import { StreamDetail, StreamList, streamAnswer } from './stream-answers.js';
import { StreamChangeInput, StreamDeletionParameters } from './stream-parameters.js';
import { StreamSizeAndLagReader } from './stream-size-and-lag-reader.js';

/** Lists, reads, changes and deletes streams. The ids of the operations are those of earlier releases. */
@ApiTags('streams')
@Controller('api/v1/streams')
export class StreamsController {
  constructor(
    @Inject(DEFINITIONS) private readonly definitions: Definitions,
    @Inject(STORE) private readonly store: { reader: EventReader; eraser: Pick<EventRemover, 'dropStream'> },
    private readonly bulkhead: Bulkhead,
    private readonly streams: StreamReadAuthorizer,
    private readonly usage: StreamSizeAndLagReader,
    private readonly windows: IdWindowDurationReader,
  ) {}

  @Get()
  @RequireScope('events:read')
  @ApiOperation({
    summary: 'List streams',
    description:
      'Sorted by name; streams without events are included. A key sees the streams that it covers. With ' +
      "the scope `admin` it also sees the system's own streams (`tributary.…`).",
  })
  @ApiAnswer(StreamList, { description: 'A page of streams; `total` counts all.' })
  @Problems('invalid_cursor', storeProblems)
  async list(
    @Query() { limit, cursor }: PageParameters,
    @InjectPrincipal() { access }: Principal,
    @DisconnectSignal() client: AbortSignal,
  ): Promise<StreamList> {
    const all = this.definitions
      .streams()
      .filter(({ stream, state }) => state === 'live' && permitsStream(access, stream));
    const { items, end } = pageByName(all, ({ stream }) => stream, { limit, cursor, boundTo: ['streams'] });
    const [summaries, usageOf] = await Promise.all([
      this.summaries(items, access, client),
      this.usage.read(),
    ]);
    return {
      streams: items.map((one) => streamAnswer(one, summaries.get(one.stream), usageOf(one))),
      ...end,
    };
  }

  @Get(':stream')
  @RequireScope('events:read')
  @ApiOperation({ operationId: 'StreamController_one', summary: 'Get one stream' })
  @ApiAnswer(StreamDetail, { description: 'The definition of the stream, and a summary of its events.' })
  @Problems('stream_not_found', storeProblems)
  async one(
    @StreamName() stream: string,
    @InjectPrincipal() { access }: Principal,
    @DisconnectSignal() client: AbortSignal,
  ): Promise<StreamDetail> {
    await this.streams.of({ access, streams: [stream], client });
    return this.detail(this.definitions.stream(stream), access, client);
  }

  @Patch(':stream')
  @AlwaysAnswered()
  @RequireScope('definitions:write')
  @ApiOperation({
    operationId: 'StreamController_change',
    summary: 'Change the retention of a stream, or the interval of its snapshots',
    description:
      'The retention applies to the records in Kafka and to the events in ClickHouse. The retention of ' +
      'the body replaces the whole current one: a limit that it does not contain is removed. It takes ' +
      'effect within minutes. A shorter retention, or a first limit, removes events like a deletion does. ' +
      'On a port with API keys, it therefore needs the scope `admin`.',
  })
  @ApiAnswer(StreamDetail, {
    description: 'The current definition of the stream, and a summary of its events.',
  })
  @Problems(
    bodyProblems,
    'stream_not_found',
    'stream_reserved',
    'stream_being_deleted',
    changeProblems,
    'store_unavailable',
  )
  async change(
    @StreamName() stream: string,
    @Body() { retention: desired, snapshot_every }: StreamChangeInput,
    @InjectPrincipal() caller: Principal,
    @DisconnectSignal() client: AbortSignal,
  ): Promise<StreamDetail> {
    const { access, actor } = caller;
    requireChangeable(stream, access);
    const next = (current: StreamDefinition) => {
      const retention = desired ?? current.retention;
      if (removesEvents(retention, current.retention)) caller.requireScope('admin');
      return { ...current, retention, ...(snapshot_every != null && { snapshot_every }) };
    };
    const changed = await this.definitions.changeStream(stream, next, actor);
    return this.detail(changed, access, client);
  }

  /**
   * Deletes a stream in this order: its state changes to `deleting`, then its topic, its rows and at last its definition
   * are removed. Until then, no other stream can use the name. Each step can be repeated: a repeated request continues
   * where the deletion stopped; without one, the materializer completes it.
   */
  @Delete(':stream')
  @AlwaysAnswered()
  @HttpCode(204)
  @RequireScope('admin')
  @ApiOperation({
    operationId: 'StreamDeletionController_remove',
    summary: 'Delete a stream with all its events',
    description:
      'From the start of the deletion, the stream can be neither written nor read. Then its topic, its ' +
      'rows and its definition are removed. If the request was interrupted, repeat it: the deletion ' +
      'continues where it stopped. Afterwards the name may be used again. Schemas that were registered ' +
      'for the stream remain.',
  })
  @NoContent('The stream is deleted.')
  @Problems(
    'stream_not_found',
    'stream_reserved',
    'stream_being_deleted',
    changeProblems,
    'store_unavailable',
  )
  async remove(
    @StreamName() stream: string,
    @Query() { confirm }: StreamDeletionParameters,
    @InjectPrincipal() { access, actor }: Principal,
  ): Promise<void> {
    requireChangeable(stream, access);
    requireConfirmation(confirm, stream, 'the name of the stream');
    await this.definitions.deleteStream(stream, (id) => this.store.eraser.dropStream(id), actor);
  }

  private async detail(
    definition: StreamDefinition | undefined,
    access: StreamAccess,
    client: AbortSignal,
  ): Promise<StreamDetail> {
    if (!definition)
      throw new ProblemError(
        'stream_not_found',
        'The stream does not exist: it has been deleted, or this instance does not know it yet.',
      );
    const [summaries, usageOf, id_window_seconds] = await Promise.all([
      this.summaries([definition], access, client),
      this.usage.read(),
      this.windows.secondsOf(definition.id),
    ]);
    const summary = summaries.get(definition.stream);
    return { ...streamAnswer(definition, summary, usageOf(definition)), id_window_seconds };
  }

  /** Resolves with the summaries of the events that can be queried, by stream name. A stream without events has none. */
  private async summaries(
    definitions: readonly StreamDefinition[],
    access: StreamAccess,
    client: AbortSignal,
  ): Promise<Map<string, StreamSummary>> {
    if (definitions.length === 0) return new Map();
    const query = { access, streams: definitions.map(({ stream }) => stream) };
    const found = await this.bulkhead.run(client, (signal) => this.store.reader.streams(query, signal));
    return new Map(found.map((summary) => [summary.stream, summary]));
  }
}
