import { IsOptional, Matches } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { streamNamePattern } from '#event';

export class OtlpQuery {
  @JSONSchema({ description: 'The stream that the log records become events of.', default: 'logs' })
  @IsOptional()
  @Matches(streamNamePattern)
  stream = 'logs';
}
