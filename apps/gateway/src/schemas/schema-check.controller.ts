import { Controller, HttpCode, Inject, Param, Post, Req } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { isDeepStrictEqual } from 'node:util';
import { schemaName, type Definitions } from '#registry';
import { accessOf, DescribeBody, jsonBody, parseBody, parseQuery, RequireScope } from '#http';
import { requireWritable } from '../access/permit.js';
import { Answers, Problems } from '../openapi/answers.js';
import { NoParameters } from '../parameters/no-parameters.js';
import { DEFINITIONS } from '../tokens.js';
import { SchemaChecks } from './schema-checks.js';
import { SchemaCheckAnswer } from './schema-answers.js';
import { SchemaCheckInput } from './schema-input.js';
import { SubjectParams } from './subject-params.js';
import { checkSubjectPath } from './subject-of.js';
import { usableSchema } from './usable-schema.js';

@ApiTags('schemas')
@Controller('api/v1/schemas/:stream/:event_type/check')
export class SchemaCheckController {
  constructor(
    @Inject(DEFINITIONS) private readonly definitions: Definitions,
    @Inject(SchemaChecks) private readonly checks: SchemaChecks,
  ) {}

  @Post()
  @HttpCode(200)
  @RequireScope('definitions:read')
  @ApiOperation({
    summary: 'Try a schema: would it be accepted as the next version?',
    description: 'Changes nothing. Where there is no schema yet, every one that can be used is compatible.',
  })
  @SubjectParams()
  @DescribeBody(SchemaCheckInput)
  @Answers(SchemaCheckAnswer, { description: 'Whether it is compatible, and each reason why not.' })
  @Problems(
    'invalid_json',
    'invalid_schema',
    'stream_forbidden',
    'payload_too_large',
    'unsupported_media_type',
  )
  async check(
    @Req() request: FastifyRequest,
    @Param('stream') stream: string,
    @Param('event_type') eventType: string,
  ): Promise<SchemaCheckAnswer> {
    parseQuery(NoParameters, request.query);
    checkSubjectPath({ stream, eventType });
    // It tries what registering would do, and a key registers schemas only for streams that it covers.
    requireWritable(accessOf(request), [stream], { pointer: 'stream' });
    const input = parseBody(SchemaCheckInput, request);
    const schema = usableSchema(jsonBody(request));
    const subject = this.definitions.schemas.get(schemaName(stream, eventType));
    const compatibility = input.compatibility ?? subject?.compatibility ?? 'backward';
    const versions = subject?.versions ?? [];
    const latest = versions.at(-1);
    if (latest && isDeepStrictEqual(latest.schema, schema))
      return { compatible: true, version: latest.version, compatibility, errors: [] };
    const errors = await this.checks.incompatibilities({ schema, versions, compatibility });
    return { compatible: errors.length === 0, version: (latest?.version ?? 0) + 1, compatibility, errors };
  }
}
