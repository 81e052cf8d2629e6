import { JsonSchemaPart, Flag } from '#gateway-kit';

/** Query parameters of `GET /api/v1/projections/{name}/changes`. */
export class StateChangeParameters {
  @Flag(
    'First sends the states of all keys, and sends them again after a `reset`. Without it, only changes from now on are sent.',
  )
  @JsonSchemaPart({ default: false })
  snapshot: boolean = false;
}
