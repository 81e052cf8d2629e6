import { Controller, HttpCode, Inject, Post, Req } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { limits } from '#event';
import { Body, BodyLimit, bodyOf, InjectPrincipal, Principal, RequireScope } from '#http';
import type { Definitions } from '#registry';
import { compileSchema } from '#schemas';
import { readGivenData } from '#writing';
import { DEFINITIONS } from '../adapters/adapters.js';
import { ApiAnswer } from '../openapi/answers.js';
import { Problems, bodyProblems } from '../openapi/problems.js';
import { jsonMemberText } from '../parameters/member-text.js';
import { DataValidationAnswer } from './schema-answers.js';
import { DataValidationInput } from './schema-input.js';
import { subjectOf, versionOf } from './subject-of.js';
import { SubjectStream, SubjectType } from './subject-params.js';

/** The largest event, and the other members of the body. */
const bodyBytes = limits.eventBytes + 1024;

@ApiTags('schemas')
@Controller('api/v1/schemas/:stream/:event_type/validate')
export class DataValidationController {
  constructor(@Inject(DEFINITIONS) private readonly definitions: Definitions) {}

  @Post()
  @HttpCode(200)
  @BodyLimit(bodyBytes)
  @RequireScope('definitions:read')
  @ApiOperation({
    summary: 'Try data: does it match a version of the schema?',
    description:
      'Writes nothing. The check is that of a write in the mode `enforce`, in every mode and also for a retired schema.',
  })
  @ApiAnswer(DataValidationAnswer, { description: 'Whether the data matches, and why it does not.' })
  @Problems(bodyProblems, 'schema_not_found')
  validate(
    @SubjectStream() stream: string,
    @SubjectType() eventType: string,
    @Body() input: DataValidationInput,
    @InjectPrincipal() { access }: Principal,
    @Req() request: FastifyRequest,
  ): DataValidationAnswer {
    const subject = subjectOf(this.definitions.schemas, { stream, eventType }, access);
    const { version, schema } = versionOf(subject, input.version ?? subject.versions.length);
    // The parsed body has rounded its numbers.
    const sent = jsonMemberText(bodyOf(request).toString(), 'data') ?? 'null';
    const data = readGivenData({ stream, event_type: eventType }, sent);
    const compiled = compileSchema(schema);
    const errors = compiled.validateText(data) ?? [];
    const valid = errors.length === 0;
    const code = compiled.exceededLimits ? 'schema_too_expensive' : 'schema_violation';
    return { valid, version, code: valid ? null : code, errors };
  }
}
