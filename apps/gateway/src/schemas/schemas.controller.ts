import { Controller, Get, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { formatTime } from '#event';
import { permitsStream } from '#api';
import { schemaName, type Definitions, type SchemaSubject } from '#registry';
import {
  accessOf,
  actorOf,
  AlwaysAnswered,
  DescribeBody,
  DescribeQuery,
  jsonBody,
  parseBody,
  parseQuery,
  RequireScope,
} from '#http';
import { refuseReserved, requireWritable } from '../access/permit.js';
import { listEnd } from '../lists/list-end.js';
import { pageByName } from '../lists/page-by-name.js';
import { Answers, Problems } from '../openapi/answers.js';
import { NoParameters } from '../parameters/no-parameters.js';
import { DEFINITIONS } from '../tokens.js';
import { nextSubject, type WantedSchema } from './next-subject.js';
import { latestVersion, SchemaAnswer, schemaAnswer, SchemaList } from './schema-answers.js';
import { SchemaChecks } from './schema-checks.js';
import { SchemaInput } from './schema-input.js';
import { SchemaListParameters } from './schema-parameters.js';
import { usableSchema } from './usable-schema.js';

@ApiTags('schemas')
@Controller('api/v1/schemas')
export class SchemasController {
  constructor(
    @Inject(DEFINITIONS) private readonly definitions: Definitions,
    @Inject(SchemaChecks) private readonly checks: SchemaChecks,
  ) {}

  @Post()
  @AlwaysAnswered()
  @RequireScope('definitions:write')
  @ApiOperation({
    summary: 'Register a schema, or a new version of one',
    description:
      'Events of this type in this stream must fit the latest version from then on. The schema that is the latest ' +
      'already makes no new version (200): only `mode` and `compatibility` are taken over. A retired schema is in ' +
      'force again. The stream need not exist.',
  })
  @DescribeBody(SchemaInput)
  @Answers(SchemaAnswer, { status: 201, description: 'The new version.' })
  @Answers(SchemaAnswer, { description: 'It is the latest version already.' })
  @Problems(
    'invalid_json',
    'invalid_schema',
    'stream_forbidden',
    'stream_reserved',
    'schema_incompatible',
    'definition_limit_reached',
    'definition_conflict',
    'payload_too_large',
    'unsupported_media_type',
    'log_unavailable',
  )
  async register(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SchemaAnswer> {
    parseQuery(NoParameters, request.query);
    const { subject, created } = await this.registered(request, wantedSchema(request));
    const answer = schemaAnswer(subject, latestVersion(subject));
    const type = encodeURIComponent(answer.event_type);
    void reply
      .code(created ? 201 : 200)
      .header('location', `/api/v1/schemas/${answer.stream}/${type}/versions/${answer.version}`);
    return answer;
  }

  @Get()
  @RequireScope('definitions:read')
  @ApiOperation({
    summary: 'List schemas',
    description:
      'The latest version of each, sorted by stream and event type; those that are retired are left out.',
  })
  @DescribeQuery(SchemaListParameters)
  @Answers(SchemaList, { description: 'A page of schemas; `total` counts all that match.' })
  @Problems('invalid_cursor')
  list(@Req() request: FastifyRequest): SchemaList {
    const { stream, event_type, limit, cursor } = parseQuery(SchemaListParameters, request.query);
    const access = accessOf(request);
    const matching = this.definitions.schemas
      .all()
      .filter((subject) => !subject.retired && permitsStream(access, subject.stream))
      .filter((subject) => stream?.includes(subject.stream) ?? true)
      .filter((subject) => event_type?.includes(subject.event_type) ?? true);
    const boundTo = ['schemas', stream?.toSorted() ?? null, event_type?.toSorted() ?? null];
    const page = pageByName(matching, nameOf, { limit, cursor, boundTo, lengthOf: lengthOfLatest });
    return {
      schemas: page.items.map((subject) => schemaAnswer(subject, latestVersion(subject))),
      total: matching.length,
      ...listEnd(page.nextCursor),
    };
  }

  /** The check is made where the log's order decides: of two writers the second is checked against the first's. */
  private async registered(
    request: FastifyRequest,
    wanted: WantedSchema,
  ): Promise<{ subject: SchemaSubject; created: boolean }> {
    const now = formatTime(Date.now() * 1000);
    let created = false;
    const next = async (current: SchemaSubject | undefined): Promise<SchemaSubject> => {
      const subject = await nextSubject(current, wanted, { now, checks: this.checks });
      created = subject.versions.length > (current?.versions.length ?? 0);
      return subject;
    };
    const name = schemaName(wanted.stream, wanted.event_type);
    const { value } = await this.definitions.schemas.change(name, next, actorOf(request));
    if (!value) throw new Error('a change that removes nothing has removed something');
    return { subject: value, created };
  }
}

/** @throws ProblemError 400, 403 */
function wantedSchema(request: FastifyRequest): WantedSchema {
  const { stream, event_type, compatibility, mode } = parseBody(SchemaInput, request);
  requireWritable(accessOf(request), [stream], { pointer: '/stream' });
  refuseReserved(stream, { pointer: '/stream' });
  return {
    stream,
    event_type,
    schema: usableSchema(jsonBody(request)),
    compatibility: compatibility ?? undefined,
    mode: mode ?? undefined,
  };
}

function lengthOfLatest(subject: SchemaSubject): number {
  return JSON.stringify(latestVersion(subject).schema).length;
}

function nameOf({ stream, event_type }: SchemaSubject): string {
  return schemaName(stream, event_type);
}
