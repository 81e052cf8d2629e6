import { IsOptional, IsString } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { Characters } from '#api';

/** Maximum number of characters of a query parameter, which is a constant or a JSON pointer. */
const most = 1024;
const orPointer = 'A constant, or a JSON pointer into each value (`/kind`).';

/** Query parameters of a raw write: for each event field a constant, or a JSON pointer into each value. */
export class RawWriteParameters {
  @JSONSchema({ description: `The type of the events. ${orPointer}`, example: 'access.logged' })
  @IsString()
  @Characters({ most })
  event_type: string;

  @JSONSchema({
    description: `The entity that the event is about. ${orPointer} If the value is missing or null, the event has no entity. A number becomes the text that all equal numbers share: 17, 17.0 and 1.7e1 are one entity.`,
    example: '/user/id',
  })
  @IsOptional()
  @Characters({ most })
  entity_id?: string;

  @JSONSchema({
    description:
      `Identifies the event within its stream. ${orPointer} It is a UUID, or any text, from which a UUID is derived; equal numbers have equal ids. A constant is allowed ` +
      'for a single value only. Default, also if the value is missing: a UUID derived from the body, so that a repeated ' +
      'request is stored once.',
    example: '/request_id',
  })
  @IsOptional()
  @Characters({ most })
  event_id?: string;

  @JSONSchema({
    description: `The time of the event: RFC 3339, or a number of seconds, milliseconds, microseconds or nanoseconds since 1970, negative before 1970 and with or without an exponent. The number of its digits before the point determines the unit. ${orPointer} Default: the time of receipt.`,
    example: '/time',
  })
  @IsOptional()
  @Characters({ most })
  timestamp?: string;

  @JSONSchema({
    description: `The version that the entity must have, for a conditional write. ${orPointer} Needs an entity.`,
    example: '/seen_version',
  })
  @IsOptional()
  @Characters({ most })
  expected_version?: string;
}
