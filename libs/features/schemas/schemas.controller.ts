import { Controller, Get, Inject, Post, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { DEFINITIONS } from '#app';
import { formatTime } from '#json';
import { permitsStream, type StreamAccess } from '#api';
import { schemaName, type Actor, type Definitions, type SchemaSubject } from '#registry';
import { AlwaysAnswered, Body, InjectPrincipal, Principal, Query, RequireScope } from '#http';
import {
  refuseReserved,
  requireWriteAccess,
  pageByName,
  ApiAnswer,
  Problems,
  bodyProblems,
  createProblems,
} from '#gateway-kit';
import { nextSubject, type DesiredSchema } from './next-subject.js';
import { latestVersion, SchemaAnswer, schemaAnswer, SchemaList } from './schema-answers.js';
import { SchemaCompatibilityChecker } from './schema-compatibility-checker.js';
import { SchemaInput } from './schema-input.js';
import { SchemaListParameters } from './schema-parameters.js';
import { validatedSchema } from './validated-schema.js';

/** `GET` and `POST /api/v1/schemas`: lists and registers schemas. */
@ApiTags('schemas')
@Controller('api/v1/schemas')
export class SchemasController {
  constructor(
    @Inject(DEFINITIONS) private readonly definitions: Definitions,
    private readonly checks: SchemaCompatibilityChecker,
  ) {}

  @Post()
  @AlwaysAnswered()
  @RequireScope('definitions:write')
  @ApiOperation({
    summary: 'Register a schema, or a new version of one',
    description:
      'From then on, events of this type in this stream must match the latest version. A schema that ' +
      'equals the latest version creates no new version (200): only `mode` and `compatibility` change. A ' +
      'retired schema becomes active again. The stream need not exist.',
  })
  @ApiAnswer(SchemaAnswer, { status: 201, description: 'The new version.' })
  @ApiAnswer(SchemaAnswer, { description: 'The schema is already the latest version.' })
  @Problems(
    bodyProblems,
    'invalid_schema',
    'stream_forbidden',
    'stream_reserved',
    'schema_incompatible',
    createProblems,
  )
  async register(
    @Body() input: SchemaInput,
    @InjectPrincipal() { access, actor }: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SchemaAnswer> {
    const { subject, created } = await this.registered(wantedSchema(input, access), actor);
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
      'The latest version of each, sorted by stream and event type. Retired schemas are not listed.',
  })
  @ApiAnswer(SchemaList, { description: 'A page of schemas; `total` counts all that match.' })
  @Problems('invalid_cursor')
  list(
    @Query() { stream, event_type, limit, cursor }: SchemaListParameters,
    @InjectPrincipal() { access }: Principal,
  ): SchemaList {
    const matching = this.definitions.schemas
      .all()
      .filter((subject) => !subject.retired && permitsStream(access, subject.stream))
      .filter((subject) => stream?.includes(subject.stream) ?? true)
      .filter((subject) => event_type?.includes(subject.event_type) ?? true);
    const boundTo = ['schemas', stream?.toSorted() ?? null, event_type?.toSorted() ?? null];
    const { items, end } = pageByName(matching, nameOf, { limit, cursor, boundTo, lengthOf: lengthOfLatest });
    return { schemas: items.map((subject) => schemaAnswer(subject, latestVersion(subject))), ...end };
  }

  /**
   * Registers a schema. The check runs inside the change: of two concurrent changes, the second is checked against the
   * first.
   */
  private async registered(
    wanted: DesiredSchema,
    actor: Actor,
  ): Promise<{ subject: SchemaSubject; created: boolean }> {
    const now = formatTime(Date.now() * 1000);
    let created = false;
    const next = async (current: SchemaSubject | undefined): Promise<SchemaSubject> => {
      const subject = await nextSubject(current, wanted, { now, checks: this.checks });
      created = subject.versions.length > (current?.versions.length ?? 0);
      return subject;
    };
    const name = schemaName(wanted.stream, wanted.event_type);
    const { value } = await this.definitions.schemas.change(name, next, actor);
    if (!value) throw new Error('a registration has removed its schema');
    return { subject: value, created };
  }
}

/** Validates a request to register a schema. @throws ProblemError 400, 403 */
function wantedSchema(input: SchemaInput, access: StreamAccess): DesiredSchema {
  const { stream, event_type, compatibility, mode } = input;
  requireWriteAccess(access, [stream], { pointer: '/stream' });
  refuseReserved(stream, { pointer: '/stream' });
  return {
    stream,
    event_type,
    schema: validatedSchema(input),
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
