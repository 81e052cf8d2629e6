import { IsBoolean } from 'class-validator';
import { FromText } from '#api';
import { Schema } from '../../openapi/schema.js';
import { Parameter } from '../../parameters/decorators.js';

export class StateChangeParameters {
  @FromText('boolean')
  @IsBoolean({ message: 'must be true or false' })
  @Parameter(
    'The states of all keys are sent first, and again after a `reset`; without it, only what changes from now on.',
  )
  @Schema({ type: 'boolean', default: false })
  snapshot: boolean = false;
}
