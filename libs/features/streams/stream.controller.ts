import { Controller, Get, Inject, Patch } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { DEFINITIONS } from '#app';
import { ProblemError, type StreamAccess } from '#api';
import type { Definitions, StreamDefinition } from '#registry';
import { DisconnectSignal, AlwaysAnswered, Body, InjectPrincipal, Principal, RequireScope } from '#http';
import {
  StreamReadAuthorizer,
  ApiAnswer,
  Problems,
  bodyProblems,
  storeProblems,
  changeProblems,
} from '#gateway-kit';
import { IdWindowDurationReader } from './id-windows.js';
import { StreamSizeAndLagReader } from './stream-size-and-lag-reader.js';
import { StreamDetail, streamAnswer } from './stream-answers.js';
import { removesEvents } from './shorter-retention.js';
import { requireChangeable, StreamName } from './named-stream.js';
import { StreamChangeInput } from './stream-parameters.js';
import { StreamSummaryReader } from './stream-summary-reader.js';

/** Reads and changes one stream. */
@ApiTags('streams')
@Controller('api/v1/streams/:stream')
export class StreamController {
  constructor(
    @Inject(DEFINITIONS) private readonly definitions: Definitions,
    private readonly streams: StreamReadAuthorizer,
    private readonly summaries: StreamSummaryReader,
    private readonly usage: StreamSizeAndLagReader,
    private readonly windows: IdWindowDurationReader,
  ) {}

  @Get()
  @RequireScope('events:read')
  @ApiOperation({ summary: 'Get one stream' })
  @ApiAnswer(StreamDetail, { description: 'The definition of the stream, and a summary of its events.' })
  @Problems('stream_not_found', storeProblems)
  async one(
    @StreamName() stream: string,
    @InjectPrincipal() { access }: Principal,
    @DisconnectSignal() client: AbortSignal,
  ): Promise<StreamDetail> {
    await this.streams.of({ access, streams: [stream], client });
    return this.answer(this.definitions.stream(stream), access, client);
  }

  @Patch()
  @AlwaysAnswered()
  @RequireScope('definitions:write')
  @ApiOperation({
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
    @Body() { retention: wanted, snapshot_every }: StreamChangeInput,
    @InjectPrincipal() caller: Principal,
    @DisconnectSignal() client: AbortSignal,
  ): Promise<StreamDetail> {
    const { access, actor } = caller;
    requireChangeable(stream, access);
    const next = (current: StreamDefinition) => {
      const retention = wanted ?? current.retention;
      if (removesEvents(retention, current.retention)) caller.requireScope('admin');
      return { ...current, retention, ...(snapshot_every != null && { snapshot_every }) };
    };
    const changed = await this.definitions.changeStream(stream, next, actor);
    return this.answer(changed, access, client);
  }

  private async answer(
    definition: StreamDefinition | undefined,
    access: StreamAccess,
    client: AbortSignal,
  ): Promise<StreamDetail> {
    if (!definition)
      throw new ProblemError(
        'stream_not_found',
        'The stream does not exist: it has been deleted, or this instance does not know it yet.',
      );
    const { stream, id } = definition;
    const [summaries, usageOf, id_window_seconds] = await Promise.all([
      this.summaries.of({ access, streams: [stream] }, client),
      this.usage.read(),
      this.windows.secondsOf(id),
    ]);
    const stats = { summary: summaries.get(stream), usage: usageOf(definition) };
    return { ...streamAnswer(definition, stats), id_window_seconds };
  }
}
