import { IsOptional, IsString } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { Characters } from '#api';

/** Characters of a constant or a pointer. */
const most = 1024;
const orPointer = 'A constant, or a JSON pointer into each value (`/kind`).';

/** The sources of the fields of events. */
export class RawQuery {
  @JSONSchema({ description: `What happened. ${orPointer}`, example: 'access.logged' })
  @IsString()
  @Characters({ most })
  event_type: string;

  @JSONSchema({
    description: `What it happened to. ${orPointer} Where the pointer leads to nothing or to null, the event has none.`,
    example: '/user/id',
  })
  @IsOptional()
  @Characters({ most })
  entity_id?: string;

  @JSONSchema({
    description:
      `Names one event within its stream. ${orPointer} A UUID, or any text, of which a UUID is made. A constant goes ` +
      'with one value only. Default, also where the pointer leads to nothing: made of the body, so that the same ' +
      'request sent again is stored once.',
    example: '/request_id',
  })
  @IsOptional()
  @Characters({ most })
  event_id?: string;

  @JSONSchema({
    description: `When it happened: RFC 3339, or a number of seconds, milliseconds, microseconds or nanoseconds since 1970, told by its digits. ${orPointer} Default: when it was received.`,
    example: '/time',
  })
  @IsOptional()
  @Characters({ most })
  timestamp?: string;
}
