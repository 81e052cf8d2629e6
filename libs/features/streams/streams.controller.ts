import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { DEFINITIONS } from '#app';
import { permitsStream } from '#api';
import type { Definitions, StreamDefinition } from '#registry';
import { DisconnectSignal, InjectPrincipal, Principal, Query, RequireScope } from '#http';
import { pageByName, ApiAnswer, Problems, storeProblems, PageParameters } from '#gateway-kit';
import { StreamSizeAndLagReader } from './stream-size-and-lag-reader.js';
import { StreamList, streamAnswer } from './stream-answers.js';
import { StreamSummaryReader } from './stream-summary-reader.js';

/** `GET /api/v1/streams`: lists streams. */
@ApiTags('streams')
@Controller('api/v1/streams')
export class StreamsController {
  constructor(
    @Inject(DEFINITIONS) private readonly definitions: Definitions,
    private readonly summaries: StreamSummaryReader,
    private readonly usage: StreamSizeAndLagReader,
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
    const names = items.map(({ stream }) => stream);
    const [summaries, usageOf] = await Promise.all([
      this.summaries.of({ access, streams: names }, client),
      this.usage.read(),
    ]);
    const statsOf = (one: StreamDefinition) => ({ summary: summaries.get(one.stream), usage: usageOf(one) });
    return {
      streams: items.map((definition) => streamAnswer(definition, statsOf(definition))),
      ...end,
    };
  }
}
