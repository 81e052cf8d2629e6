import { Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { isDeepStrictEqual } from 'node:util';
import { DEFINITIONS } from '#app';
import { schemaName, type Definitions } from '#registry';
import { Body, InjectPrincipal, Principal, RequireScope } from '#http';
import { requireWriteAccess, ApiAnswer, Problems, bodyProblems } from '#gateway-kit';
import { SchemaCompatibilityChecker } from './schema-compatibility-checker.js';
import { SchemaCheckAnswer } from './schema-answers.js';
import { SchemaCheckInput } from './schema-input.js';
import { SubjectStream, SubjectType } from './subject-params.js';
import { validatedSchema } from './validated-schema.js';

/** `POST /api/v1/schemas/{stream}/{event_type}/check`: checks compatibility without registering. */
@ApiTags('schemas')
@Controller('api/v1/schemas/:stream/:event_type/check')
export class SchemaCheckController {
  constructor(
    @Inject(DEFINITIONS) private readonly definitions: Definitions,
    private readonly checks: SchemaCompatibilityChecker,
  ) {}

  @Post()
  @HttpCode(200)
  @RequireScope('definitions:read')
  @ApiOperation({
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
    const schema = validatedSchema(input);
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
