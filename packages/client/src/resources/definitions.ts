import { path } from '../http/address.js';
import type { JsonApiClient } from '../http/api.js';
import type { CallOptions } from '../http/http-client.js';
import type { Pages } from '../reading/pages.js';
import type { ListQuery } from '../types/index.js';

/** The types of one kind of definition that runs on streams. */
interface DefinitionTypes {
  Input: object;
  Definition: object;
  WithStats: object;
  Detail: object;
}

/** What projections and pipelines have in common: they are defined, read, paused, resumed, reset and deleted. */
export abstract class Definitions<Types extends DefinitionTypes> {
  constructor(
    protected readonly api: JsonApiClient,
    private readonly collection: 'projections' | 'pipelines',
  ) {}

  list(query: ListQuery = {}, options: CallOptions = {}): Pages<Types['WithStats']> {
    return this.api.list({ path: `/api/v1/${this.collection}`, name: this.collection, query }, options);
  }

  get(name: string, options: CallOptions = {}): Promise<Types['Detail']> {
    return this.api.get({ path: this.pathOf(name), ...options });
  }

  /** Creates a definition. Repeating the same definition changes nothing. */
  define(input: Types['Input'], options: CallOptions = {}): Promise<Types['Definition']> {
    return this.api.post(`/api/v1/${this.collection}`, { body: input, ...options });
  }

  pause(name: string, options: CallOptions = {}): Promise<Types['Definition']> {
    return this.api.post(`${this.pathOf(name)}/pause`, options);
  }

  /** Continues where it stopped, and misses no event. */
  resume(name: string, options: CallOptions = {}): Promise<Types['Definition']> {
    return this.api.post(`${this.pathOf(name)}/resume`, options);
  }

  /** Starts again from the events, at the position that `from` of the definition names. */
  reset(name: string, options: CallOptions = {}): Promise<Types['Definition']> {
    return this.api.post(`${this.pathOf(name)}/reset`, options);
  }

  /** Deletes the definition with what it has computed. Events that it has emitted remain. */
  delete(name: string, options: CallOptions = {}): Promise<void> {
    return this.api.delete(this.pathOf(name), options);
  }

  protected pathOf(name: string): string {
    return `/api/v1/${this.collection}${path`/${name}`}`;
  }
}
