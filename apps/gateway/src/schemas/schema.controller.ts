import { Controller, Delete, Get, HttpCode, Inject, Param, Req } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { schemaName, type Definitions } from '#registry';
import { accessOf, actorOf, AlwaysAnswered, parseQuery, RequireScope } from '#http';
import { NoContent, Answers, Problems } from '../openapi/answers.js';
import { NoParameters } from '../parameters/no-parameters.js';
import { DEFINITIONS } from '../tokens.js';
import { latestVersion, SchemaAnswer, schemaAnswer } from './schema-answers.js';
import { SubjectParams } from './subject-params.js';
import { checkSubjectPath, requireSeenSubject, retiredOrMissing, subjectInForce } from './subject-of.js';

@ApiTags('schemas')
@Controller('api/v1/schemas/:stream/:event_type')
export class SchemaController {
  constructor(@Inject(DEFINITIONS) private readonly definitions: Definitions) {}

  @Get()
  @RequireScope('definitions:read')
  @ApiOperation({ summary: 'Get the latest version of a schema' })
  @SubjectParams()
  @Answers(SchemaAnswer, { description: 'The version that events are checked by.' })
  @Problems('schema_not_found')
  latest(
    @Req() request: FastifyRequest,
    @Param('stream') stream: string,
    @Param('event_type') eventType: string,
  ): SchemaAnswer {
    parseQuery(NoParameters, request.query);
    const path = { stream, eventType };
    const subject = subjectInForce(this.definitions.schemas, path, accessOf(request));
    return schemaAnswer(subject, latestVersion(subject));
  }

  @Delete()
  @AlwaysAnswered()
  @HttpCode(204)
  @RequireScope('definitions:write')
  @ApiOperation({
    summary: 'Retire a schema',
    description:
      'Events of this type are no longer checked. The versions stay readable, because events name them; a schema that ' +
      'is registered later goes on from them.',
  })
  @SubjectParams()
  @NoContent('It is retired.')
  @Problems('schema_not_found', 'definition_conflict', 'log_unavailable')
  async retire(
    @Req() request: FastifyRequest,
    @Param('stream') stream: string,
    @Param('event_type') eventType: string,
  ): Promise<void> {
    parseQuery(NoParameters, request.query);
    const path = { stream, eventType };
    checkSubjectPath(path);
    requireSeenSubject(path, accessOf(request));
    await this.definitions.schemas.change(
      schemaName(stream, eventType),
      (current) => {
        if (!current || current.retired) throw retiredOrMissing(path, current);
        return { ...current, retired: true };
      },
      actorOf(request),
    );
  }
}
