import { lookup as resolve, type LookupAddress } from 'node:dns';
import {
  Agent as HttpAgent,
  request as httpRequest,
  type ClientRequest,
  type RequestOptions,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { withAnySignal } from '#async';
import type { WebhookNetworks } from './networks.js';
import { notPublic, wrongInWebhookUrl } from './webhook-url.js';

export interface Post {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** What a receiver said, or why there was no answer; in words that hold nothing of what the receiver sent. */
export type PostOutcome =
  { status: number; retryAfter: string | undefined } | { failure: string; isFinal: boolean };

/** The name is resolved to what must not be connected to. */
class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';
}

/** To one receiver. */
const mostIdleSockets = 16;
const idleMs = 4000;

/**
 * Posts to addresses that others have chosen. Names are resolved here, each time, and the connection goes to an address that
 * was held against the networks: what a name leads to a moment later does not matter. No redirect is followed, and no answer
 * is read.
 */
export class Poster {
  private readonly agents: { http: HttpAgent; https: HttpsAgent };

  constructor(
    private readonly networks: WebhookNetworks,
    private readonly timeoutMs: number,
  ) {
    // Who delivers bounds how many there are. A bound here would have those to good receivers wait for those to slow ones.
    const options = { keepAlive: true, maxFreeSockets: mostIdleSockets, timeout: idleMs };
    this.agents = { http: new HttpAgent(options), https: new HttpsAgent(options) };
  }

  /** What is wrong with an address, whatever its name leads to; undefined when nothing is. */
  wrongIn(url: string): string | undefined {
    return wrongInWebhookUrl(url, this.networks);
  }

  /** One attempt. Never rejects; an aborted one is a failure. */
  async post(post: Post, signal: AbortSignal): Promise<PostOutcome> {
    const wrong = this.wrongIn(post.url);
    if (wrong !== undefined) return { failure: `The address ${wrong}.`, isFinal: true };
    const late = AbortSignal.timeout(this.timeoutMs);
    return withAnySignal([signal, late], (ended) => this.send(post, ended));
  }

  private send({ url, headers, body }: Post, signal: AbortSignal): Promise<PostOutcome> {
    const bytes = Buffer.from(body);
    const options: RequestOptions = {
      method: 'POST',
      headers: {
        ...headers,
        'content-length': bytes.length,
        'user-agent': 'Tributary-Webhooks/1',
      },
      lookup: this.lookup(new URL(url)),
      signal,
    };
    return new Promise((done) => {
      const request = this.open(new URL(url), options);
      request.on('error', (error) => done(this.failed(error)));
      request.on('response', (response) => {
        const { statusCode = 0, headers: answered } = response;
        done({ status: statusCode, retryAfter: answered['retry-after'] });
        // What it says is of no interest; a short answer leaves the connection usable.
        response.on('error', () => undefined);
        if (Number(answered['content-length'] ?? Infinity) > 4096) response.destroy();
        else response.resume();
      });
      request.end(bytes);
    });
  }

  close(): void {
    this.agents.http.destroy();
    this.agents.https.destroy();
  }

  private open(url: URL, options: RequestOptions): ClientRequest {
    const { http, https } = this.agents;
    if (url.protocol === 'https:') return httpsRequest(url, { ...options, agent: https });
    return httpRequest(url, { ...options, agent: http });
  }

  private lookup(url: URL): LookupFunction {
    const mayBe = (address: string): boolean =>
      url.protocol === 'https:' ? this.networks.permits(address) : this.networks.opens(address);
    return (host, options, answer) => {
      resolve(host, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
        const permitted = error ? [] : addresses.filter(({ address }) => mayBe(address));
        const [first] = permitted;
        if (error) answer(error, '', 0);
        // One that is not public among others is what an attacker's name server would add.
        else if (!first || permitted.length < addresses.length)
          answer(new ForbiddenAddressError(`The address ${notPublic}.`), '', 0);
        else if (options.all) answer(null, permitted);
        else answer(null, first.address, first.family);
      });
    };
  }

  private failed(error: Error & { code?: string }): PostOutcome {
    if (error instanceof ForbiddenAddressError) return { failure: error.message, isFinal: true };
    const isTimeout = error.name === 'TimeoutError' || error.name === 'AbortError';
    const reason = isTimeout ? `no answer within ${this.timeoutMs} ms` : (error.code ?? error.name);
    return { failure: `It could not be reached: ${reason}.`, isFinal: false };
  }
}
