import { Schema } from '../../openapi/schema.js';
import { Flag } from '../../parameters/decorators.js';

export class StateChangeParameters {
  @Flag(
    'The states of all keys are sent first, and again after a `reset`; without it, only what changes from now on.',
  )
  @Schema({ default: false })
  snapshot: boolean = false;
}
