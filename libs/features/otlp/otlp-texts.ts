import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { DescribeProblemsIn } from '#http';
import { schemas, writeProblems } from '#writing';
import { jsonType, protobufType } from './logs-reader.js';

export const logsText = [
  'Writes logs that are sent with OTLP/HTTP 1.x, as protobuf or JSON, optionally compressed with `gzip` or `zstd`. Each log record becomes an event ' +
    'of the stream `logs`, or of the stream in the parameter `stream`.',
  'The event name becomes `event_type` (default: `log`), and the time becomes `timestamp` (default: the observed time, then the time of ' +
    'receipt; digits below a microsecond are cut off). The attributes become `data`, with the body as `body`. The ' +
    'metadata contains the attributes of the resource (`resource.service.name`), the scope, the severity, the ids of trace and ' +
    'span, and the exact times. `event_id` is derived from the attribute ' +
    '`log.record.uid`, otherwise from the body of the request, so that a repeated request is stored once.',
  'An invalid record does not affect the others: the answer is a partial success with its count, and the record becomes a dead ' +
    'letter with the reason `refused_at_intake`, which can be replayed. The dead letter of a record that cannot be read has the ' +
    'record as it was sent in `data.log_record`. If an attribute is given twice, the last one counts. Problems are a `google.rpc.Status` with a message, in ' +
    'the encoding of the request.',
  schemas,
].join('\n\n');

export const logsBody = {
  required: true,
  content: {
    [jsonType]: {
      schema: {
        type: 'object' as const,
        example: {
          resourceLogs: [
            {
              resource: { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] },
              scopeLogs: [
                {
                  logRecords: [
                    {
                      timeUnixNano: '1795000000000000000',
                      eventName: 'order.placed',
                      body: { stringValue: 'placed' },
                      attributes: [{ key: 'order', value: { intValue: '17' } }],
                    },
                  ],
                },
              ],
            },
          ],
        },
      },
    },
    [protobufType]: { schema: { type: 'string' as const, format: 'binary' } },
  },
};

const partial = {
  type: 'object' as const,
  properties: {
    rejectedLogRecords: { type: 'string' as const, description: 'A 64-bit integer.' },
    errorMessage: { type: 'string' as const },
  },
};

export const logsAnswer = {
  [jsonType]: { schema: { type: 'object' as const, properties: { partialSuccess: partial } } },
  [protobufType]: { schema: { type: 'string' as const, format: 'binary' } },
};

const status = {
  [jsonType]: {
    schema: { type: 'object' as const, properties: { message: { type: 'string' as const } } },
  },
  [protobufType]: { schema: { type: 'string' as const, format: 'binary' } },
};

/**
 * Method decorator: documents the problems of the OTLP route, which are those of every write, as `google.rpc.Status`.
 */
export function DescribeStatuses(): MethodDecorator {
  const others = ApiResponse({ status: 'default', description: 'A problem.', content: status });
  return applyDecorators(DescribeProblemsIn(status, writeProblems), others);
}
