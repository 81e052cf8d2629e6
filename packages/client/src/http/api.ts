import { parseJson } from '../json/json-text.js';
import { Pages, readPage } from '../reading/pages.js';
import { queryOf } from './address.js';
import type { ApiRequest, CallOptions, HttpClient } from './http-client.js';

/** A request for one page of a list of the API, and how to parse its items. */
interface ListRequest<T> {
  path: string;
  /** The name of the answer's member that contains the items. */
  name: string;
  query: object & { cursor?: string };
  /** Parses one item from its JSON text; default: `JSON.parse`. */
  readItem?: (text: string) => T;
}

/** Options of a request that changes something. */
interface ChangeRequest extends CallOptions {
  query?: object;
  /** An object that is sent as JSON. */
  body?: object;
  /** JSON text that is sent unchanged. */
  json?: string;
}

/** Sends requests to Tributary's HTTP API and parses the JSON answers. */
export class JsonApiClient {
  constructor(readonly http: HttpClient) {}

  async get<T>(request: Pick<ApiRequest, 'path' | 'query' | 'signal' | 'accept'>): Promise<T> {
    return parseJson<T>((await this.http.repeat(request)).text);
  }

  /** Returns the text of the answer, for readers of exact numbers. */
  async text(request: Pick<ApiRequest, 'path' | 'query' | 'signal'>): Promise<string> {
    return (await this.http.repeat(request)).text;
  }

  list<T>({ path, name, query, readItem = parseJson<T> }: ListRequest<T>, { signal }: CallOptions): Pages<T> {
    return new Pages(async (cursor) => {
      const text = await this.text({ path, query: queryOf({ ...query, cursor }), signal });
      return readPage(text, name, readItem);
    }, query.cursor);
  }

  /** Sends a change and returns the text of the answer, for readers of exact numbers. */
  async changeForText(method: ApiRequest['method'], path: string, change: ChangeRequest): Promise<string> {
    const { query = {}, body, json = body && JSON.stringify(body), signal } = change;
    return (await this.http.send({ method, path, query: queryOf(query), body: json, signal })).text;
  }

  /** Sends a change and parses the answer, which may be empty. */
  async change<T>(method: ApiRequest['method'], path: string, change: ChangeRequest): Promise<T> {
    const text = await this.changeForText(method, path, change);
    return text === '' ? (undefined as T) : parseJson<T>(text);
  }
}
