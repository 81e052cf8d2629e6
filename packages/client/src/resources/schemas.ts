import { path } from '../http/address.js';
import type { JsonApiClient } from '../http/api.js';
import type { CallOptions } from '../http/http-client.js';
import type { Pages } from '../reading/pages.js';
import type {
  ListQuery,
  SchemaListQuery,
  DataValidationResult,
  DataValidationInput,
  Schema,
  SchemaAddress,
  SchemaCheckResult,
  SchemaCheckInput,
  SchemaInput,
} from '../types/index.js';

/** `client.schemas`: registers, reads, checks and retires JSON Schemas of events. */
export class Schemas {
  constructor(private readonly api: JsonApiClient) {}

  /** Lists the latest version of each schema. */
  list(query: SchemaListQuery = {}, options: CallOptions = {}): Pages<Schema> {
    return this.api.list({ path: '/api/v1/schemas', name: 'schemas', query }, options);
  }

  /** Returns the latest version. */
  get(address: SchemaAddress, options: CallOptions = {}): Promise<Schema> {
    return this.api.get({ path: pathOf(address), ...options });
  }

  versions(address: SchemaAddress, query: ListQuery = {}, options: CallOptions = {}): Pages<Schema> {
    return this.api.list({ path: `${pathOf(address)}/versions`, name: 'schemas', query }, options);
  }

  version(address: SchemaAddress, version: number, options: CallOptions = {}): Promise<Schema> {
    return this.api.get({ path: pathOf(address) + path`/versions/${version}`, ...options });
  }

  /** Registers a schema, or a new version of it. An unchanged schema creates no new version. */
  register(input: SchemaInput, options: CallOptions = {}): Promise<Schema> {
    return this.api.change('POST', '/api/v1/schemas', { body: input, ...options });
  }

  /** Checks whether a schema would be accepted as the next version. */
  check(
    address: SchemaAddress,
    input: SchemaCheckInput,
    options: CallOptions = {},
  ): Promise<SchemaCheckResult> {
    return this.api.change('POST', `${pathOf(address)}/check`, { body: input, ...options });
  }

  /** Checks whether data matches a version of a schema, by default the latest. No event is written. */
  validate(
    address: SchemaAddress,
    input: DataValidationInput,
    options: CallOptions = {},
  ): Promise<DataValidationResult> {
    const json = 'data' in input ? JSON.stringify(input.data) : input.dataText;
    const query = { version: input.version };
    return this.api.change('POST', `${pathOf(address)}/validate`, { json, query, ...options });
  }

  /**
   * Retires the schema: new events of the type are no longer checked. The versions of a retired schema remain readable,
   * because stored events refer to them.
   */
  retire(address: SchemaAddress, options: CallOptions = {}): Promise<void> {
    return this.api.change('DELETE', pathOf(address), options);
  }
}

function pathOf({ stream, event_type }: SchemaAddress): string {
  return path`/api/v1/schemas/${stream}/${event_type}`;
}
