import { Readable } from 'node:stream';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  DisconnectSignal,
  InjectPrincipal,
  Principal,
  Query,
  RequireScope,
  resetAnswer,
  whenClosed,
} from '#http';
import type { EventFilter } from '#store';
import { inTimeSlices } from '#features/events';
import { StreamReadAuthorizer, abortWhenKeyEnds, consistentReadProblems, Problems } from '#gateway-kit';
import { EventExporter } from './event-exporter.js';
import { EventExportParameters, type ExportFormat } from './export-parameters.js';
import { exportsDone } from './export-metrics.js';

const mediaTypes: Readonly<Record<ExportFormat, string>> = {
  parquet: 'application/vnd.apache.parquet',
  arrow: 'application/vnd.apache.arrow.file',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
};

const binary = { schema: { type: 'string', format: 'binary' } };
const content: Record<string, object> = Object.fromEntries(
  Object.values(mediaTypes).map((type) => [type.split(';', 1).join(), binary]),
);

/** A request to export events: its parameters, its filter, and the reply that receives the file. */
interface Export {
  parameters: EventExportParameters;
  filter: EventFilter;
  signal: AbortSignal;
  reply: FastifyReply;
}

/** `GET /api/v1/events/export`. */
@ApiTags('events')
@Controller('api/v1/events')
export class ExportController {
  constructor(
    private readonly exports: EventExporter,
    private readonly streams: StreamReadAuthorizer,
  ) {}

  @Get('export')
  @RequireScope('events:read')
  @ApiOperation({
    summary: 'Export events',
    description:
      'All matching events, without pages. Parquet and Arrow files have the columns of an event, with ' +
      '`data` and `metadata` as JSON text. With one `stream` and one `event_type` that has a schema, the ' +
      'top-level members of `data` are typed columns too (`data_<name>` where an event has a column of ' +
      'that name). These files are sent when they are complete, with their length. They are ordered by ' +
      'stream and then by timestamp. A file that is larger than the gateway can store is a 422: narrow ' +
      'the range. NDJSON and CSV are sent while they are read, ordered by timestamp as in a query; an ' +
      'export that fails midway ends without the last chunk of its body. An export ends when its API key ' +
      'expires or is revoked, and at the time limit of the gateway. Without `where`, `X-Events-Total` is the number of events at the start.',
  })
  @ApiResponse({ status: 200, description: 'The events.', content })
  @Problems('invalid_expression', 'stream_not_found', consistentReadProblems)
  async export(
    @Query() parameters: EventExportParameters,
    @InjectPrincipal() caller: Principal,
    @DisconnectSignal() client: AbortSignal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { filter, wait_for: positions, format } = parameters;
    const { access } = caller;
    const permitted = await this.streams.of({ access, streams: filter.streams, positions, client });
    if (request.method === 'HEAD') return void reply.headers(headersOf(format)).send();
    const leave = this.exports.running.enter(caller.keyId);
    const watch = abortWhenKeyEnds(caller, client);
    try {
      await this.exports.run(watch.signal, (signal) =>
        this.send({ parameters, filter: { ...permitted, ...filter }, signal, reply }),
      );
    } finally {
      watch.end();
      leave();
    }
  }

  private async send(asked: Export): Promise<void> {
    const { parameters, signal, reply } = asked;
    const total = await this.exports.total(asked.filter, signal);
    const body = await this.body(asked);
    if (signal.aborted) {
      body.destroy();
      throw signal.reason as Error;
    }
    body.once('error', () => resetAnswer(reply.raw));
    if (total !== undefined) void reply.header('x-events-total', total);
    const end = () => void body.destroy(signal.reason as Error);
    signal.addEventListener('abort', end, { once: true });
    const closed = new Promise<void>((resolve) => whenClosed(reply.raw, resolve));
    void reply.headers(headersOf(parameters.format)).send(body);
    await closed;
    signal.removeEventListener('abort', end);
    const outcome = reply.raw.writableFinished ? 'complete' : 'cut_off';
    exportsDone.inc({ format: parameters.format, outcome });
  }

  private async body({ parameters, filter, signal, reply }: Export): Promise<Readable> {
    const { format, csv_safe: safe } = parameters;
    if (format === 'ndjson' || format === 'csv')
      return begun(this.exports.lines(filter, { format, safe, signal }));
    const file = await this.exports.file(filter, format, signal);
    void reply.header('content-length', file.bytes);
    return file.read();
  }
}

function headersOf(format: ExportFormat): Record<string, string> {
  return {
    'content-type': mediaTypes[format],
    'content-disposition': `attachment; filename="events.${format}"`,
  };
}

/** Waits for the first lines. A failure before them is still answered with a problem document. */
async function begun(lines: AsyncGenerator<string>): Promise<Readable> {
  const first = [await lines.next(), await lines.next()];
  const pieces = first.flatMap(({ done, value }) => (done ? [] : [value]));
  return Readable.from(inTimeSlices(pieces, lines), { objectMode: false });
}
