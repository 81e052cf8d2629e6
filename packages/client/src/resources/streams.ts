import { path } from '../http/address.js';
import type { JsonApiClient } from '../http/api.js';
import type { CallOptions } from '../http/http-client.js';
import type { Pages } from '../reading/pages.js';
import type {
  ListQuery,
  CreatedStream,
  Stream,
  StreamChange,
  StreamDetail,
  StreamInput,
} from '../types/index.js';

/** `client.streams`: creates, lists, changes and deletes streams. */
export class Streams {
  /** @param deleted called after a stream was deleted: positions in it mean nothing for the next stream of the name */
  constructor(
    private readonly api: JsonApiClient,
    private readonly deleted: (stream: string) => void,
  ) {}

  list(query: ListQuery = {}, options: CallOptions = {}): Pages<Stream> {
    return this.api.list({ path: '/api/v1/streams', name: 'streams', query }, options);
  }

  get(name: string, options: CallOptions = {}): Promise<StreamDetail> {
    return this.api.get({ path: path`/api/v1/streams/${name}`, ...options });
  }

  create(input: StreamInput, options: CallOptions = {}): Promise<CreatedStream> {
    return this.api.change('POST', '/api/v1/streams', { body: input, ...options });
  }

  /** Changes the retention, or how often snapshots are taken. A shorter retention removes events. */
  change(name: string, change: StreamChange, options: CallOptions = {}): Promise<StreamDetail> {
    return this.api.change('PATCH', path`/api/v1/streams/${name}`, { body: change, ...options });
  }

  /** Deletes the stream with all its events. `confirm` must repeat its name. */
  async delete(name: string, { confirm, ...options }: CallOptions & { confirm: string }): Promise<void> {
    await this.api.change('DELETE', path`/api/v1/streams/${name}`, { query: { confirm }, ...options });
    this.deleted(name);
  }
}
