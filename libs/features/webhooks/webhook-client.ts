import { lookup as resolve, type LookupAddress } from 'node:dns';
import { Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { withAnySignal } from '#async';
import type { WebhookAddressPolicy } from './webhook-address-policy.js';
import { portOf, webhookUrlError } from './webhook-url.js';

/** A POST request to a webhook receiver. */
interface WebhookRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/**
 * Status and `Retry-After` of a webhook receiver's answer, or the reason why there was no answer. The reason contains
 * nothing that the receiver sent.
 */
export type WebhookPostResult =
  { status: number; retryAfter: string | undefined } | { failure: string; isFinal: boolean };

/** Error: the host name of a webhook resolves to an address to which webhooks may not be sent. */
class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';
}

/** Bytes of an answer's content that are read, and discarded, so that the connection can be reused. */
const mostContentBytes = 4096;
/** Milliseconds after the headers of an answer within which the rest of the exchange must end. */
const contentMs = 1000;

/** Maximum number of idle connections that are kept open to one webhook receiver. */
const mostIdleSockets = 16;
const idleMs = 4000;

/**
 * Sends POST requests to addresses that users have chosen. The client resolves the host name for each connection
 * itself, and connects to an address that it has checked, so a later change of the DNS record has no effect (DNS
 * rebinding). The client does not follow redirects and does not use the content of answers. Name resolution,
 * connection, request and answer have one deadline together, and each request ends with a closed or an idle connection.
 */
export class WebhookClient {
  private readonly http: HttpAgent;
  private readonly https: HttpsAgent;

  constructor(
    private readonly networks: WebhookAddressPolicy,
    private readonly timeoutMs: number,
  ) {
    // The caller limits the number of connections. With a limit here, requests to fast receivers would wait for
    // requests to slow receivers.
    const options = { keepAlive: true, maxFreeSockets: mostIdleSockets, timeout: idleMs };
    this.http = new HttpAgent(options);
    this.https = new HttpsAgent(options);
  }

  /** Returns why a webhook URL is not allowed, without resolving its host name; undefined if it is allowed. */
  wrongIn(url: string): string | undefined {
    return webhookUrlError(url, this.networks);
  }

  /** Posts one request to a webhook receiver. Never rejects: an aborted or failed request resolves with a `failure`. */
  async post(post: WebhookRequest, signal: AbortSignal): Promise<WebhookPostResult> {
    const wrong = this.wrongIn(post.url);
    if (wrong !== undefined) return { failure: `The address ${wrong}.`, isFinal: true };
    const late = AbortSignal.timeout(this.timeoutMs);
    return withAnySignal([signal, late], (ended) => this.send(post, ended));
  }

  private send(post: WebhookRequest, signal: AbortSignal): Promise<WebhookPostResult> {
    const url = new URL(post.url);
    const isHttps = url.protocol === 'https:';
    const body = Buffer.from(post.body);
    const own = { 'content-length': body.length, 'user-agent': 'Tributary-Webhooks/1' };
    const options: RequestOptions = {
      method: 'POST',
      headers: { ...post.headers, ...own },
      lookup: this.lookup(url),
      agent: isHttps ? this.https : this.http,
    };
    return new Promise((done) => {
      const request = (isHttps ? httpsRequest : httpRequest)(url, options);
      let result: WebhookPostResult | undefined;
      let rest: NodeJS.Timeout | undefined;
      const end = (): void => void request.destroy(signal.reason as Error);
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
      request.on('error', (error) => (result ??= this.failed(error)));
      request.on('response', (response) => {
        const { statusCode = 0, headers: answered } = response;
        result = { status: statusCode, retryAfter: answered['retry-after'] };
        rest = setTimeout(end, contentMs);
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          if ((bytes += chunk.length) > mostContentBytes) request.destroy();
        });
        response.on('error', () => undefined);
      });
      // The only event after which the connection is closed or idle. Without it, a receiver could keep one connection
      // for each delivery; an answer with status 101 causes no other event.
      request.on('close', () => {
        clearTimeout(rest);
        signal.removeEventListener('abort', end);
        done(result ?? this.failed(new Error('no HTTP answer')));
      });
      request.end(body);
    });
  }

  close(): void {
    this.http.destroy();
    this.https.destroy();
  }

  private lookup(url: URL): LookupFunction {
    const endpoint = portOf(url);
    return (host, options, answer) => {
      resolve(host, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
        if (error) return answer(error, '', 0);
        // A host name is rejected if any of its addresses is forbidden, because an attacker's name server may mix
        // permitted and forbidden addresses.
        const wrong = addresses
          .map(({ address }) => this.networks.errorAt({ address, ...endpoint }))
          .find((text) => text !== undefined);
        const [first] = addresses;
        if (wrong !== undefined) answer(new ForbiddenAddressError(`The address ${wrong}.`), '', 0);
        else if (!first) answer(new Error('the host name has no address'), '', 0);
        else if (options.all) answer(null, addresses);
        else answer(null, first.address, first.family);
      });
    };
  }

  private failed(error: Error & { code?: string }): WebhookPostResult {
    if (error instanceof ForbiddenAddressError) return { failure: error.message, isFinal: true };
    const isTimeout = error.name === 'TimeoutError' || error.name === 'AbortError';
    const reason = isTimeout ? `no answer within ${this.timeoutMs} ms` : (error.code ?? error.name);
    return { failure: `It could not be reached: ${reason}.`, isFinal: false };
  }
}
