import { path } from '../http/address.js';
import type { JsonApiClient } from '../http/api.js';
import type { CallOptions } from '../http/http-client.js';
import type { Pages } from '../reading/pages.js';
import type { IssuedApiKey, ApiKey, ApiKeyInput, ApiKeyRotationInput, ListQuery } from '../types/index.js';

/** `client.keys`: issues, lists, rotates and revokes API keys. */
export class ApiKeys {
  constructor(private readonly api: JsonApiClient) {}

  list(query: ListQuery = {}, options: CallOptions = {}): Pages<ApiKey> {
    return this.api.list({ path: '/api/v1/keys', name: 'keys', query }, options);
  }

  get(keyId: string, options: CallOptions = {}): Promise<ApiKey> {
    return this.api.get({ path: path`/api/v1/keys/${keyId}`, ...options });
  }

  /** Issues a key. Only this answer contains its text. */
  issue(input: ApiKeyInput, options: CallOptions = {}): Promise<IssuedApiKey> {
    return this.api.change('POST', '/api/v1/keys', { body: input, ...options });
  }

  /** Gives the key a new secret. */
  rotate(keyId: string, input: ApiKeyRotationInput = {}, options: CallOptions = {}): Promise<IssuedApiKey> {
    return this.api.change('POST', path`/api/v1/keys/${keyId}/rotate`, { body: input, ...options });
  }

  revoke(keyId: string, options: CallOptions = {}): Promise<void> {
    return this.api.change('DELETE', path`/api/v1/keys/${keyId}`, options);
  }
}
