import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsBoolean, IsOptional, ValidateNested } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { EventInput, FromText } from '#api';
import { limits } from '#event';

/** Body of a batch, for the OpenAPI document only. The hot path parses it without an instance of this class. */
@JSONSchema({ additionalProperties: false })
export class BatchInput {
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(limits.batchEvents)
  @ValidateNested({ each: true })
  @Type(() => EventInput)
  events: EventInput[];
}

export class BatchQuery {
  @JSONSchema({ description: 'If one event is rejected, no event is written.', default: false })
  @IsOptional()
  @FromText('boolean')
  @IsBoolean({ message: 'must be true or false' })
  atomic = false;
}
