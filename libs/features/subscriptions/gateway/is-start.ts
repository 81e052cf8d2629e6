import { applyDecorators } from '@nestjs/common';
import { JsonSchemaPart, parseRequestTime, type StartPosition } from '#gateway-kit';
import { ParseValue } from '#http';

const rule =
  'must be beginning, now, an RFC 3339 time such as 2026-11-21T04:00:00Z, or a time before now such as -15m, -1h or -7d';

/** Decorator of a member that says where a subscription begins or continues. */
export function IsStart(description: string): PropertyDecorator {
  return applyDecorators(
    ParseValue({ name: 'isStart', read: readStart, message: () => rule }),
    JsonSchemaPart({ type: 'string', description, example: '-1h' }),
  );
}

function readStart(text: string, sent: Readonly<Record<string, unknown>>): StartPosition | undefined {
  return text === 'beginning' || text === 'now' ? text : parseRequestTime(text, sent);
}
