import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ProblemError } from '#api';
import { FailedAttempts } from '../rate-limit/failed-attempts.js';
import { RateLimits } from '../rate-limit/rate-limits.js';
import { admit } from './admission.js';
import { authenticate, authorize, bearerKey } from './authenticate.js';
import { clickHouseKey, type ClickHouseCredentialsConfig } from './clickhouse-credentials.js';
import { clientNetwork } from './client-network.js';
import type { ApiKey, KeyRing } from './key-ring.js';
import type { RouteAccess } from './require-scope.js';

export interface AuthOptions {
  keyRing: KeyRing;
  /**
   * How long ago it was last known that no issued key has been revoked since, and how long that is good for; both in
   * milliseconds. Without it, for ever.
   */
  issuedKeys?: { ageMs: () => number; mostMs: number };
  /** Routes that need no key on this port, besides those that are public everywhere: `/health/ready` for probes. */
  open?: readonly string[];
  /**
   * Called with the problem's code for each request that is refused for its key, even when a wrong key's answer is another.
   * A right key that has used up its rate is none of these.
   */
  onRefused?: (code: string) => void;
}

/**
 * Makes every route of the instance need a key, unknown addresses included: what is not declared public is refused
 * without one, and a route that declares no scope is refused with any. It runs before the body is read: an upload
 * without a key costs its headers only.
 *
 * A key's requests per second are counted here, `takeEvents` counts its events. Whoever keeps sending wrong keys is
 * told to wait; a right key from the same network is let in all the same, because many clients may share an address.
 */
export function requireApiKeys(instance: FastifyInstance, options: AuthOptions): void {
  const authenticator = new Authenticator(options);
  instance.addHook('onRequest', (request, reply, done) => {
    try {
      authenticator.authenticate(request, reply);
      done();
    } catch (error) {
      done(error as Error);
    }
  });
}

class Authenticator {
  private readonly limits = new RateLimits();
  private readonly failed = new FailedAttempts();

  constructor(private readonly options: AuthOptions) {}

  /** @throws ProblemError */
  authenticate(request: FastifyRequest, reply: FastifyReply): void {
    const { config, url = '' } = request.routeOptions;
    const access = config as RouteAccess;
    if (access.public || this.options.open?.includes(url)) return admit(request, { reply });
    try {
      const key = this.keyOf(request);
      this.admit(request, reply, key);
      checkScope(request, access, key);
    } catch (error) {
      if (error instanceof ProblemError && error.code !== 'too_many_requests')
        this.options.onRefused?.(error.code);
      throw isWrongKey(error) ? this.throttled(request, error) : error;
    }
  }

  private keyOf(request: FastifyRequest): ApiKey {
    const { clickHouseCredentials } = request.routeOptions.config as ClickHouseCredentialsConfig;
    const text = (clickHouseCredentials ? clickHouseKey : bearerKey)(request.raw);
    const key = authenticate(text, this.options.keyRing, Date.now());
    if (key.issued) this.requireRecent();
    return key;
  }

  /** A right key may have been revoked since. @throws ProblemError 503 `log_unavailable` */
  private requireRecent(): void {
    const { issuedKeys } = this.options;
    if (!issuedKeys || issuedKeys.ageMs() <= issuedKeys.mostMs) return;
    const detail =
      'It has not been known for too long whether this API key is still valid: Kafka cannot be reached. Keys of the ' +
      'configuration (API_KEYS) go on working.';
    throw new ProblemError('log_unavailable', detail, { retryAfterSeconds: 5 });
  }

  private admit(request: FastifyRequest, reply: FastifyReply, key: ApiKey): void {
    const limits = this.limits.of(key);
    if (limits) {
      const now = performance.now();
      limits.take('requests', 1, now);
      void reply.headers(limits.headers(now));
    }
    const check = () => checkScope(request, request.routeOptions.config as RouteAccess, this.keyOf(request));
    admit(request, { key, check, reply, ...(limits && { limits }) });
  }

  private throttled(request: FastifyRequest, refusal: ProblemError): ProblemError {
    const waitMs = this.failed.add(clientNetwork(request), performance.now());
    if (waitMs === 0) return refusal;
    const detail =
      'Too many requests from this address had a key that is not valid. Check the key, then repeat.';
    return new ProblemError('too_many_requests', detail, { retryAfterSeconds: Math.ceil(waitMs / 1000) });
  }
}

function checkScope(request: FastifyRequest, access: RouteAccess, key: ApiKey): void {
  if (access.scope) authorize(key, access.scope);
  else if (!request.is404) throw new ProblemError('insufficient_scope', 'No key permits this.');
}

/** That there is no key is no attempt: browsers and probes begin so. */
function isWrongKey(error: unknown): error is ProblemError {
  return error instanceof ProblemError && error.code === 'invalid_token';
}
