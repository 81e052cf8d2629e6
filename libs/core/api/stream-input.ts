import 'reflect-metadata';
import { IsInt, IsOptional, IsString, Matches, Max, Min, ValidateBy } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { limits, streamNamePattern, streamNameRule } from '#event';
import { isJsonObject } from '#json';

/** How long the events of a stream are kept: without limit, or bounded by time (`90s`, `7d`), by bytes, or by both. */
export type StreamRetention = 'unlimited' | { time?: string; bytes?: number };

/**
 * Valid durations of a retention: a positive integer with a unit (`s`, `m`, `h`, `d`), or an ISO 8601 duration of days,
 * hours, minutes and seconds, such as `P30D` or `PT12H`.
 */
const durationPattern =
  /^(?:[1-9]\d{0,6}[smhd]|P(?=.*[1-9])(?=\d|T\d)(?:\d{1,6}D)?(?:T(?=\d)(?:\d{1,6}H)?(?:\d{1,6}M)?(?:\d{1,6}S)?)?)$/;

function isRetention(value: unknown): boolean {
  if (value === 'unlimited') return true;
  if (!isJsonObject(value)) return false;
  const { time, bytes, ...rest } = value;
  return Object.keys(rest).length === 0 && (time !== undefined || bytes !== undefined);
}

const isTime = (value: unknown) => typeof value === 'string' && durationPattern.test(value);
const isBytes = (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0;

/** Validation rules for a stream's retention as a whole, and for each of its members `time` and `bytes`. */
const rules = [
  {
    name: 'isRetention',
    message: 'must be "unlimited", or an object with time (such as 7d or 12h), bytes, or both',
    validate: isRetention,
  },
  {
    name: 'isRetentionTime',
    message:
      'must be a whole number and a unit (s, m, h, d), such as 7d or 12h, or an ISO 8601 duration such as P30D',
    ...memberRule('time', isTime),
  },
  {
    name: 'isRetentionBytes',
    message: 'must be a whole number of bytes, at least 1',
    ...memberRule('bytes', isBytes),
  },
];

function memberRule(member: 'time' | 'bytes', fits: (value: unknown) => boolean) {
  const validate = (value: unknown) => {
    const found: unknown = (value as Record<string, unknown> | null | undefined)?.[member];
    return found === undefined || fits(found);
  };
  return { member, validate };
}

/** Validates that a property is the retention of a stream: `"unlimited"`, or an object with `time`, `bytes` or both. */
export function IsRetention(description: string): PropertyDecorator {
  const schema = JSONSchema({
    description,
    oneOf: [
      { type: 'string', enum: ['unlimited'] },
      {
        type: 'object',
        minProperties: 1,
        additionalProperties: false,
        properties: {
          time: { type: 'string', pattern: durationPattern.source, example: '7d' },
          bytes: { type: 'integer', minimum: 1 },
        },
      },
    ],
  });
  return (target, propertyName) => {
    schema(target, propertyName as string);
    for (const { name, message, validate, ...context } of rules)
      ValidateBy({ name, validator: { validate } }, { message, context })(target, propertyName);
  };
}

/** Validates that a property is the number of versions between two automatic snapshots of an entity, or 0 for none. */
export function IsSnapshotEvery(): PropertyDecorator {
  const description = `A snapshot of an entity is made after this number of versions; 0: no automatic snapshots. Default: ${limits.snapshotEvery}.`;
  const rules = [IsInt(), Min(0), Max(limits.snapshotEveryMax), JSONSchema({ description, example: 100 })];
  return (target, propertyName) => {
    for (const rule of rules) rule(target, propertyName as string);
  };
}

/** Body of the request that creates a stream before its first event. */
@JSONSchema({
  additionalProperties: false,
  example: { stream: 'invoices', partitions: 8, retention: { time: '30d' } },
})
export class StreamInput {
  @JSONSchema({ example: 'orders' })
  @IsString()
  @Matches(streamNamePattern, { message: streamNameRule })
  stream: string;

  @JSONSchema({
    description: 'It cannot be changed later: the order of an entity depends on it.',
    example: 8,
  })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(limits.partitionsPerStream)
  partitions?: number;

  @IsOptional()
  @IsRetention('Default: unlimited.')
  retention?: StreamRetention;

  @IsOptional()
  @IsSnapshotEvery()
  snapshot_every?: number;
}
