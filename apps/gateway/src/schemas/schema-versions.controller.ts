import { Controller, Get, Inject, Param, Req } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { ProblemError } from '#api';
import type { Definitions } from '#registry';
import { accessOf, DescribeQuery, parseQuery, RequireScope } from '#http';
import { listEnd } from '../lists/list-end.js';
import { pageByName } from '../lists/page-by-name.js';
import { Answers, Problems } from '../openapi/answers.js';
import { NoParameters } from '../parameters/no-parameters.js';
import { DEFINITIONS } from '../tokens.js';
import { SchemaAnswer, schemaAnswer, SchemaList } from './schema-answers.js';
import { SchemaVersionListParameters } from './schema-parameters.js';
import { SubjectParams } from './subject-params.js';
import { subjectOf } from './subject-of.js';

/** All versions that a schema has had; also of one that is retired, because events name them. */
@ApiTags('schemas')
@Controller('api/v1/schemas/:stream/:event_type/versions')
export class SchemaVersionsController {
  constructor(@Inject(DEFINITIONS) private readonly definitions: Definitions) {}

  @Get()
  @RequireScope('definitions:read')
  @ApiOperation({ summary: 'List the versions of a schema', description: 'Oldest first.' })
  @SubjectParams()
  @DescribeQuery(SchemaVersionListParameters)
  @Answers(SchemaList, { description: 'A page of versions; `total` counts all.' })
  @Problems('invalid_cursor', 'schema_not_found')
  list(
    @Req() request: FastifyRequest,
    @Param('stream') stream: string,
    @Param('event_type') eventType: string,
  ): SchemaList {
    const { limit, cursor } = parseQuery(SchemaVersionListParameters, request.query);
    const subject = subjectOf(this.definitions.schemas, { stream, eventType }, accessOf(request));
    const boundTo = ['schema versions', stream, eventType];
    const page = pageByName(subject.versions, sortable, {
      ...{ limit, cursor, boundTo },
      lengthOf: ({ schema }) => JSON.stringify(schema).length,
    });
    return {
      schemas: page.items.map((version) => schemaAnswer(subject, version)),
      total: subject.versions.length,
      ...listEnd(page.nextCursor),
    };
  }

  @Get(':version')
  @RequireScope('definitions:read')
  @ApiOperation({ summary: 'Get one version of a schema' })
  @SubjectParams()
  @ApiParam({ name: 'version', schema: { type: 'integer', minimum: 1 } })
  @Answers(SchemaAnswer, { description: 'The version.' })
  @Problems('schema_not_found')
  version(@Req() request: FastifyRequest, @Param() params: Record<string, string>): SchemaAnswer {
    parseQuery(NoParameters, request.query);
    const { stream = '', event_type: eventType = '', version = '' } = params;
    const number = versionNumber(version);
    const subject = subjectOf(this.definitions.schemas, { stream, eventType }, accessOf(request));
    const found = subject.versions.find((one) => one.version === number);
    if (found) return schemaAnswer(subject, found);
    const detail = `The schema has the versions 1 to ${subject.versions.length}.`;
    throw new ProblemError('schema_not_found', detail);
  }
}

function sortable({ version }: { version: number }): string {
  return String(version).padStart(9, '0');
}

function versionNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  const detail = 'must be a whole number from 1';
  throw new ProblemError('invalid_request', `The version in the address ${detail}.`, {
    errors: [{ pointer: 'version', detail }],
  });
}
