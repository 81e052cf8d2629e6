import { JsonSchemaPart } from '../../openapi/schema.js';
import { Flag } from '../../parameters/decorators.js';

/** Query parameters of `GET /api/v1/projections/{name}/changes`. */
export class StateChangeParameters {
  @Flag(
    'First sends the states of all keys, and sends them again after a `reset`. Without it, only changes from now on are sent.',
  )
  @JsonSchemaPart({ default: false })
  snapshot: boolean = false;
}
