import { Controller, HttpCode, Inject, Post, Req } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { DEFINITIONS } from '#app';
import { limits } from '#event';
import { BodyLimit, InjectPrincipal, Principal, Query, RequireScope, takeBody } from '#http';
import type { Definitions } from '#registry';
import { compileDataSchema, readGivenData } from '#writing';
import { ApiAnswer, Problems, bodyProblems } from '#gateway-kit';
import { DataValidationAnswer } from './schema-answers.js';
import { DataValidationParameters } from './schema-parameters.js';
import { subjectOf, versionOf } from './subject-of.js';
import { SubjectStream, SubjectType } from './subject-params.js';

const body = {
  required: true,
  content: {
    'application/json': {
      schema: { type: 'object', description: 'The `data` of an event.', example: { amount: 12.5 } },
    },
  },
} as const;

/** `POST /api/v1/schemas/{stream}/{event_type}/validate`: checks data against a registered schema. */
@ApiTags('schemas')
@Controller('api/v1/schemas/:stream/:event_type/validate')
export class DataValidationController {
  constructor(@Inject(DEFINITIONS) private readonly definitions: Definitions) {}

  @Post()
  @HttpCode(200)
  @BodyLimit(limits.eventBytes)
  @RequireScope('definitions:read')
  @ApiOperation({
    summary: 'Try data: does it match a version of the schema?',
    description:
      'Writes nothing. The check is that of a write in the mode `enforce`, in every mode and also for a retired schema.',
    requestBody: body,
  })
  @ApiAnswer(DataValidationAnswer, { description: 'Whether the data matches, and why it does not.' })
  @Problems(bodyProblems, 'schema_not_found')
  validate(
    @SubjectStream() stream: string,
    @SubjectType() eventType: string,
    @Query() { version: wanted }: DataValidationParameters,
    @InjectPrincipal() { access }: Principal,
    @Req() request: FastifyRequest,
  ): DataValidationAnswer {
    const subject = subjectOf(this.definitions.schemas, { stream, eventType }, access);
    const { version, schema } = versionOf(subject, wanted ?? subject.versions.length);
    const data = readGivenData({ stream, event_type: eventType }, takeBody(request).toString());
    const compiled = compileDataSchema(schema);
    const errors = compiled.validateText(data) ?? [];
    const valid = errors.length === 0;
    const code = compiled.exceededLimits ? 'schema_too_expensive' : 'schema_violation';
    return { valid, version, code: valid ? null : code, errors };
  }
}
