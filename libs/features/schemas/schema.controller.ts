import { Controller, Delete, Get, HttpCode, Inject } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { DEFINITIONS } from '#app';
import { schemaName, type Definitions, type SchemaSubject } from '#registry';
import { AlwaysAnswered, InjectPrincipal, Principal, RequireScope } from '#http';
import { NoContent, ApiAnswer, Problems, changeProblems } from '#gateway-kit';
import { latestVersion, SchemaAnswer, schemaAnswer } from './schema-answers.js';
import { SubjectStream, SubjectType } from './subject-params.js';
import { requireSeenSubject, retiredOrMissing, activeSubject } from './subject-of.js';

/** Reads the latest version of a schema, or retires the schema. */
@ApiTags('schemas')
@Controller('api/v1/schemas/:stream/:event_type')
export class SchemaController {
  constructor(@Inject(DEFINITIONS) private readonly definitions: Definitions) {}

  @Get()
  @RequireScope('definitions:read')
  @ApiOperation({ summary: 'Get the latest version of a schema' })
  @ApiAnswer(SchemaAnswer, { description: 'The version that is used to check events.' })
  @Problems('schema_not_found')
  latest(
    @SubjectStream() stream: string,
    @SubjectType() eventType: string,
    @InjectPrincipal() { access }: Principal,
  ): SchemaAnswer {
    const subject = activeSubject(this.definitions.schemas, { stream, eventType }, access);
    return schemaAnswer(subject, latestVersion(subject));
  }

  @Delete()
  @AlwaysAnswered()
  @HttpCode(204)
  @RequireScope('definitions:write')
  @ApiOperation({
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
}
