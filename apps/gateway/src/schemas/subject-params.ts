import { applyDecorators } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { limits, streamNamePattern } from '#event';

/** Documents the two path parameters that name a schema. */
export function SubjectParams(): MethodDecorator {
  return applyDecorators(
    ApiParam({ name: 'stream', schema: { type: 'string', pattern: streamNamePattern.source } }),
    ApiParam({
      name: 'event_type',
      description: 'Percent-encoded: `a/b` is `a%2Fb`.',
      schema: { type: 'string', minLength: 1, maxLength: limits.eventTypeCharacters },
    }),
  );
}
