import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { DEFINITIONS } from '#app';
import type { Definitions } from '#registry';
import { InjectPrincipal, Principal, Query, RequireScope } from '#http';
import { pageByName, ApiAnswer, Problems, PageParameters } from '#gateway-kit';
import { SchemaAnswer, schemaAnswer, SchemaList } from './schema-answers.js';
import { SubjectStream, SubjectType, Version } from './subject-params.js';
import { subjectOf, versionOf } from './subject-of.js';

/**
 * Reads all versions of a schema, or one of them. A retired schema is answered too, because stored events name the
 * version that they were validated against.
 */
@ApiTags('schemas')
@Controller('api/v1/schemas/:stream/:event_type/versions')
export class SchemaVersionsController {
  constructor(@Inject(DEFINITIONS) private readonly definitions: Definitions) {}

  @Get()
  @RequireScope('definitions:read')
  @ApiOperation({ summary: 'List the versions of a schema', description: 'Oldest first.' })
  @ApiAnswer(SchemaList, { description: 'A page of versions; `total` counts all.' })
  @Problems('invalid_cursor', 'schema_not_found')
  list(
    @SubjectStream() stream: string,
    @SubjectType() eventType: string,
    @Query() { limit, cursor }: PageParameters,
    @InjectPrincipal() { access }: Principal,
  ): SchemaList {
    const subject = subjectOf(this.definitions.schemas, { stream, eventType }, access);
    const boundTo = ['schema versions', stream, eventType];
    const { items, end } = pageByName(subject.versions, sortable, {
      ...{ limit, cursor, boundTo },
      lengthOf: ({ schema }) => JSON.stringify(schema).length,
    });
    return { schemas: items.map((version) => schemaAnswer(subject, version)), ...end };
  }

  @Get(':version')
  @RequireScope('definitions:read')
  @ApiOperation({ summary: 'Get one version of a schema' })
  @ApiAnswer(SchemaAnswer, { description: 'The version.' })
  @Problems('schema_not_found')
  version(
    @Version() version: number,
    @SubjectStream() stream: string,
    @SubjectType() eventType: string,
    @InjectPrincipal() { access }: Principal,
  ): SchemaAnswer {
    const subject = subjectOf(this.definitions.schemas, { stream, eventType }, access);
    return schemaAnswer(subject, versionOf(subject, version));
  }
}

function sortable({ version }: { version: number }): string {
  return String(version).padStart(9, '0');
}
