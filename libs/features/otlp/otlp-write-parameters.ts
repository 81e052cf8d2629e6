import { IsOptional, Matches } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { streamNamePattern } from '#event';

/** Query parameters of the route that receives OTLP logs. */
export class OtlpWriteParameters {
  @JSONSchema({ description: 'The stream to which the log records are written.', default: 'logs' })
  @IsOptional()
  @Matches(streamNamePattern)
  stream = 'logs';
}
