import { applyDecorators } from '@nestjs/common';
import { IsArray, IsString, ValidateIf } from 'class-validator';
import { JsonSchemaPart, ListOf } from '#gateway-kit';

/** A member that the `where` of a query names and no event has. */
export class WhereHint {
  @IsString()
  @JsonSchemaPart({ description: 'The member, as CEL writes it.', example: 'event.data.amont' })
  member: string;

  @IsString()
  @JsonSchemaPart({
    description: 'What is wrong, for the author of the query.',
    example: 'None of the newest 100 events that the query selects without `where` has event.data.amont.',
  })
  detail: string;

  @IsString({ each: true })
  @IsArray()
  @JsonSchemaPart({
    type: 'array',
    items: { type: 'string' },
    description: 'Members that events or schemas have there, at most 20, the most similar first.',
    example: ['event.data.amount', 'event.data.currency'],
  })
  known: readonly string[];
}

/** Decorator of the member that says why an answer has perhaps no events. */
export function WhereHints(): PropertyDecorator {
  const description =
    'Only in an answer without events: members of `where` that no event has. They are looked up in the newest 100 events that the ' +
    'query selects without `where`, and in the schemas of these events.';
  return applyDecorators(
    ListOf(WhereHint, description),
    ValidateIf((_, value) => value !== undefined),
  );
}
