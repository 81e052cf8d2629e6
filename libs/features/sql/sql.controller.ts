import { Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  DisconnectSignal,
  AcceptsAny,
  BodyLimit,
  InjectPrincipal,
  OnlyOnPort,
  ClickHouseCredentials,
  Principal,
  Public,
  RequireScope,
  TakesQuery,
  resetAnswer,
  whenClosed,
} from '#http';
import { SqlError, type SqlResponse } from './clickhouse/analyst-sql.js';
import { type UrlParameters, SqlStatementRunner, type SqlHttpRequest } from './sql-statement-runner.js';

/** Size limit of a statement in bytes, the same as in ClickHouse. */
const statementBytes = 256 * 1024;

const description =
  "ClickHouse's HTTP interface, read-only. The statement is in the URL parameter `query` or in the body. " +
  'The API key is a Bearer token, the password of Basic authentication, or the header `X-ClickHouse-Key`, ' +
  'never in the URL. ' +
  'Parameters: `query`, `database`, `default_format`, `param_*`, `query_id`, `max_execution_time`, ' +
  'compression; others are ignored. Errors have the form of ClickHouse.';

/** SQL for analysts, through the HTTP interface that clients of ClickHouse use. */
@ApiTags('sql')
@Controller()
export class SqlController {
  constructor(private readonly runs: SqlStatementRunner) {}

  @Get(['ping', 'clickhouse/ping'])
  @OnlyOnPort('query')
  @TakesQuery()
  @Public()
  @ApiOperation({ summary: 'Check whether this port answers', security: [] })
  ping(@Query() _parameters: UrlParameters, @Res() reply: FastifyReply): void {
    void reply.header('content-type', 'text/plain; charset=UTF-8').send('Ok.\n');
  }

  @Get(['/', 'clickhouse'])
  @OnlyOnPort('query')
  @TakesQuery()
  @RequireScope('sql:read')
  @ClickHouseCredentials()
  @ApiOperation({ summary: 'Run a SELECT', description })
  get(
    @Query() parameters: UrlParameters,
    @InjectPrincipal() caller: Principal,
    @DisconnectSignal() client: AbortSignal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (request.method === 'HEAD') return Promise.resolve(void reply.send());
    return this.answer({ request, parameters, caller, client }, reply);
  }

  @Post(['/', 'clickhouse'])
  @OnlyOnPort('query')
  @TakesQuery()
  @HttpCode(200)
  @RequireScope('sql:read')
  @ClickHouseCredentials()
  @AcceptsAny('text/plain')
  @BodyLimit(statementBytes)
  @ApiOperation({ summary: 'Run a SELECT', description })
  post(
    @Query() parameters: UrlParameters,
    @InjectPrincipal() caller: Principal,
    @DisconnectSignal() client: AbortSignal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.answer({ request, parameters, caller, client }, reply);
  }

  private async answer(call: SqlHttpRequest, reply: FastifyReply): Promise<void> {
    try {
      await this.runs.run(call, (answer, { warning }) => {
        if (warning !== undefined) void reply.header('x-tributary-warning', warning);
        return sendAnswer(answer, reply);
      });
    } catch (error) {
      if (!(error instanceof SqlError)) throw error;
      sendError(error, reply);
    }
  }
}

/** Sends the answer. Resolves with whether all of it was sent. */
function sendAnswer(answer: SqlResponse, reply: FastifyReply): Promise<boolean> {
  const closed = new Promise<boolean>((resolve) =>
    whenClosed(reply.raw, () => resolve(reply.raw.writableFinished)),
  );
  answer.body.once('error', () => resetAnswer(reply.raw));
  void reply.code(200).headers(answer.headers).send(answer.body);
  return closed;
}

function sendError({ code, status, message }: SqlError, reply: FastifyReply): void {
  void reply
    .code(status)
    .headers({ 'content-type': 'text/plain; charset=UTF-8', 'x-clickhouse-exception-code': String(code) })
    .send(`Code: ${code}. DB::Exception: ${message}\n`);
}
