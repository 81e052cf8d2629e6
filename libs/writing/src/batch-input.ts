import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsBoolean, IsOptional, ValidateNested } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { EventInput, FromText } from '#api';
import { limits } from '#event';

/** The body of a batch, for the documentation: the hot path reads it without making an instance. */
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
  @JSONSchema({ description: 'One bad event and nothing is written.', default: false })
  @IsOptional()
  @FromText('boolean')
  @IsBoolean({ message: 'must be true or false' })
  atomic = false;
}
