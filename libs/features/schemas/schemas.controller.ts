import { isDeepStrictEqual } from 'node:util';
import { Controller, Delete, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DEFINITIONS } from '#app';
import { permitsStream } from '#api';
import { limits } from '#event';
import { formatTime } from '#json';
import { schemaName, type Definitions, type SchemaSubject } from '#registry';
import {
  AlwaysAnswered,
  Body,
  BodyLimit,
  InjectPrincipal,
  Principal,
  Query,
  RequireScope,
  takeBody,
} from '#http';
import { readGivenData } from '#writing';
import { compileDataSchema } from './enforcement/index.js';
import {
  refuseReserved,
  requireWriteAccess,
  pageByName,
  ApiAnswer,
  NoContent,
  PageParameters,
  Problems,
  bodyProblems,
  changeProblems,
  createProblems,
} from '#gateway-kit';
import { nextSubject } from './next-subject.js';
import {
  DataValidationAnswer,
  latestVersion,
  SchemaAnswer,
  schemaAnswer,
  SchemaCheckAnswer,
  SchemaList,
} from './schema-answers.js';
import { SchemaCompatibilityChecker } from './schema-compatibility-checker.js';
import {
  DataValidationParameters,
  SchemaCheckInput,
  SchemaInput,
  SchemaListParameters,
  requireValidSchema,
} from './schema-input.js';
import {
  requireSeenSubject,
  retiredOrMissing,
  subjectOf,
  SubjectStream,
  SubjectType,
  Version,
  versionOf,
} from './subject-path.js';

const validationBody = {
  required: true,
  content: {
    'application/json': {
      schema: { type: 'object', description: 'The `data` of an event.', example: { amount: 12.5 } },
    },
  },
} as const;

/**
 * Registers, reads, retires and tries schemas. A retired schema keeps its versions, because stored events name the
 * version that they were validated against. The ids of the operations are those of earlier releases.
 */
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
    const { stream, event_type } = input;
    requireWriteAccess(access, [stream], { pointer: '/stream' });
    refuseReserved(stream, { pointer: '/stream' });
    requireValidSchema(input);
    const now = formatTime(Date.now() * 1000);
    let created = false;
    // The check runs inside the change: of two concurrent changes, the second is checked against the first.
    const next = async (current: SchemaSubject | undefined): Promise<SchemaSubject> => {
      const subject = await nextSubject(current, input, { now, checks: this.checks });
      created = subject.versions.length > (current?.versions.length ?? 0);
      return subject;
    };
    const { value } = await this.definitions.schemas.change(schemaName(stream, event_type), next, actor);
    if (!value) throw new Error('a registration has removed its schema');
    const answer = schemaAnswer(value, latestVersion(value));
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
    const nameOf = (subject: SchemaSubject) => schemaName(subject.stream, subject.event_type);
    const boundTo = ['schemas', stream?.toSorted() ?? null, event_type?.toSorted() ?? null];
    const lengthOf = (subject: SchemaSubject) => JSON.stringify(latestVersion(subject).schema).length;
    const { items, end } = pageByName(matching, nameOf, { limit, cursor, boundTo, lengthOf });
    return { schemas: items.map((subject) => schemaAnswer(subject, latestVersion(subject))), ...end };
  }

  @Get(':stream/:event_type')
  @RequireScope('definitions:read')
  @ApiOperation({ operationId: 'SchemaController_latest', summary: 'Get the latest version of a schema' })
  @ApiAnswer(SchemaAnswer, { description: 'The version that is used to check events.' })
  @Problems('schema_not_found')
  latest(
    @SubjectStream() stream: string,
    @SubjectType() eventType: string,
    @InjectPrincipal() { access }: Principal,
  ): SchemaAnswer {
    const path = { stream, eventType };
    const subject = subjectOf(this.definitions, path, access);
    if (subject.retired) throw retiredOrMissing(path, subject);
    return schemaAnswer(subject, latestVersion(subject));
  }

  @Delete(':stream/:event_type')
  @AlwaysAnswered()
  @HttpCode(204)
  @RequireScope('definitions:write')
  @ApiOperation({
    operationId: 'SchemaController_retire',
    summary: 'Retire a schema',
    description:
      'Events of this type are no longer checked. The versions remain readable, because events name them. ' +
      'A schema that is registered later continues their numbers.',
  })
  @NoContent('The schema is retired.')
  @Problems('schema_not_found', changeProblems)
  async retire(
    @SubjectStream() stream: string,
    @SubjectType() eventType: string,
    @InjectPrincipal() { access, actor }: Principal,
  ): Promise<void> {
    const path = { stream, eventType };
    requireSeenSubject(path, access);
    const next = (current: SchemaSubject | undefined) => {
      if (!current || current.retired) throw retiredOrMissing(path, current);
      return { ...current, retired: true };
    };
    await this.definitions.schemas.change(schemaName(stream, eventType), next, actor);
  }

  @Get(':stream/:event_type/versions')
  @RequireScope('definitions:read')
  @ApiOperation({
    operationId: 'SchemaVersionsController_list',
    summary: 'List the versions of a schema',
    description: 'Oldest first.',
  })
  @ApiAnswer(SchemaList, { description: 'A page of versions; `total` counts all.' })
  @Problems('invalid_cursor', 'schema_not_found')
  versions(
    @SubjectStream() stream: string,
    @SubjectType() eventType: string,
    @Query() { limit, cursor }: PageParameters,
    @InjectPrincipal() { access }: Principal,
  ): SchemaList {
    const subject = subjectOf(this.definitions, { stream, eventType }, access);
    const sortable = ({ version }: { version: number }) => String(version).padStart(9, '0');
    const { items, end } = pageByName(subject.versions, sortable, {
      limit,
      cursor,
      boundTo: ['schema versions', stream, eventType],
      lengthOf: ({ schema }) => JSON.stringify(schema).length,
    });
    return { schemas: items.map((version) => schemaAnswer(subject, version)), ...end };
  }

  @Get(':stream/:event_type/versions/:version')
  @RequireScope('definitions:read')
  @ApiOperation({
    operationId: 'SchemaVersionsController_version',
    summary: 'Get one version of a schema',
  })
  @ApiAnswer(SchemaAnswer, { description: 'The version.' })
  @Problems('schema_not_found')
  version(
    @Version() version: number,
    @SubjectStream() stream: string,
    @SubjectType() eventType: string,
    @InjectPrincipal() { access }: Principal,
  ): SchemaAnswer {
    const subject = subjectOf(this.definitions, { stream, eventType }, access);
    return schemaAnswer(subject, versionOf(subject, version));
  }

  @Post(':stream/:event_type/check')
  @HttpCode(200)
  @RequireScope('definitions:read')
  @ApiOperation({
    operationId: 'SchemaCheckController_check',
    summary: 'Try a schema: would it be accepted as the next version?',
    description: 'Changes nothing. Without an earlier schema, every valid schema is compatible.',
  })
  @ApiAnswer(SchemaCheckAnswer, {
    description: 'Whether the schema is compatible, and all reasons why it is not.',
  })
  @Problems(bodyProblems, 'invalid_schema', 'stream_forbidden')
  async check(
    @SubjectStream() stream: string,
    @SubjectType() eventType: string,
    @Body() input: SchemaCheckInput,
    @InjectPrincipal() { access }: Principal,
  ): Promise<SchemaCheckAnswer> {
    // The check has the same requirements as a registration: a key registers schemas only for streams that it covers.
    requireWriteAccess(access, [stream], { pointer: 'stream' });
    requireValidSchema(input);
    const { schema } = input;
    const subject = this.definitions.schemas.get(schemaName(stream, eventType));
    const compatibility = input.compatibility ?? subject?.compatibility ?? 'backward';
    const versions = subject?.versions ?? [];
    const latest = versions.at(-1);
    if (latest && isDeepStrictEqual(latest.schema, schema))
      return { compatible: true, version: latest.version, compatibility, errors: [] };
    const errors = await this.checks.incompatibilities({ schema, versions, compatibility });
    return { compatible: errors.length === 0, version: (latest?.version ?? 0) + 1, compatibility, errors };
  }

  @Post(':stream/:event_type/validate')
  @HttpCode(200)
  @BodyLimit(limits.eventBytes)
  @RequireScope('definitions:read')
  @ApiOperation({
    operationId: 'DataValidationController_validate',
    summary: 'Try data: does it match a version of the schema?',
    description:
      'Writes nothing. The check is that of a write in the mode `enforce`, in every mode and also for a retired schema.',
    requestBody: validationBody,
  })
  @ApiAnswer(DataValidationAnswer, { description: 'Whether the data matches, and why it does not.' })
  @Problems(bodyProblems, 'schema_not_found')
  validate(
    @SubjectStream() stream: string,
    @SubjectType() eventType: string,
    @Query() { version: desired }: DataValidationParameters,
    @InjectPrincipal() { access }: Principal,
    @Req() request: FastifyRequest,
  ): DataValidationAnswer {
    const subject = subjectOf(this.definitions, { stream, eventType }, access);
    const { version, schema } = versionOf(subject, desired ?? subject.versions.length);
    const data = readGivenData({ stream, event_type: eventType }, takeBody(request).toString());
    const compiled = compileDataSchema(schema);
    const errors = compiled.validateText(data) ?? [];
    const valid = errors.length === 0;
    const code = compiled.exceededLimits ? 'schema_too_expensive' : 'schema_violation';
    return { valid, version, code: valid ? null : code, errors };
  }
}
