import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { ProblemError } from '#api';
import { FailedAuthAttempts } from '../rate-limit/failed-attempts.js';
import { KeyRateLimiter } from '../rate-limit/key-limits.js';
import { authenticate, requireKeyScope, sentKey } from './authenticate.js';
import { storeAuthentication } from './authentication-result.js';
import { clientNetwork } from './client-network.js';
import type { ApiKey, KeyRing } from './key-ring.js';
import { isScope, type RouteAccessRule } from './scope.js';

/** Key ring, open routes and callbacks of `requireApiKeys`. */
export interface AuthOptions {
  keyRing: KeyRing;
  /**
   * Limits the age of this process's view of issued keys and their revocations. `ageMs` returns the milliseconds since
   * the view was last known to be current; above `mostMs`, all issued keys are rejected. Default: no limit.
   */
  issuedKeys?: { ageMs: () => number; mostMs: number };
  /** Routes that need no key on this port, in addition to the public routes, such as `/health/ready` for probes. */
  open?: readonly string[];
  /**
   * Called for each request whose key is missing, wrong or insufficient, with the code of that problem, even if the
   * client receives another one (429 instead of 401). `onRefused` is not called for a valid key over its rate limit.
   */
  onRefused?: (code: string) => void;
}

/**
 * Requires an API key on every route of the instance, including unknown addresses. Without a key only public routes
 * answer. The port does not start with a route that declares neither a scope nor `Public`. The check runs before the
 * body is read, so an upload without a key costs its headers only.
 *
 * This hook counts a key's requests per second, and `takeEvents` counts its events. A network that keeps sending wrong
 * keys gets 429. A valid key from the same network is still accepted, because many clients may share an address.
 */
export function requireApiKeys(instance: FastifyInstance, options: AuthOptions): void {
  requireScopes(instance);
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

/** Makes the start fail if a route has neither a scope nor `Public`: a forgotten decorator must not open a route. */
function requireScopes(instance: FastifyInstance): void {
  const routes: RouteOptions[] = [];
  instance.addHook('onRoute', (route) => void routes.push(route));
  instance.addHook('onReady', (done) => {
    const undeclared = routes.filter(({ config }) => {
      const { scope = '', public: isPublic } = (config ?? {}) as RouteAccessRule;
      return !isPublic && !isScope(scope);
    });
    const names = undeclared.map(({ method, url }) => `${[method].flat().join(', ')} ${url}`).join('; ');
    if (names === '') return done();
    done(
      new Error(
        `Routes without a scope on a port with keys: ${names}. Decorate them with RequireScope or Public.`,
      ),
    );
  });
}

class Authenticator {
  /**
   * The rate limiter of each API key with a limit. The key ring returns the same object while a key does not change, so
   * a limiter is garbage-collected with its key, and a changed key starts with full token buckets.
   */
  private readonly limiters = new WeakMap<ApiKey, KeyRateLimiter>();
  private readonly failedAttempts = new FailedAuthAttempts();

  constructor(private readonly options: AuthOptions) {}

  /**
   * Authenticates and authorizes a request. @throws ProblemError when its key is missing, wrong, over its rate or
   * without the scope
   */
  authenticate(request: FastifyRequest, reply: FastifyReply): void {
    const { config, url = '' } = request.routeOptions;
    const access = config as RouteAccessRule;
    if (access.public || this.options.open?.includes(url)) return storeAuthentication(request, { reply });
    try {
      const key = this.keyOf(request);
      this.limitRequests(request, reply, key);
      checkScope(access, key);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      if (error.code !== 'too_many_requests') this.options.onRefused?.(error.code);
      // A missing key does not count as a failed attempt: browsers and probes begin without one.
      throw error.code === 'invalid_token' ? this.throttled(request, error) : error;
    }
  }

  /**
   * Returns the key of a request. @throws ProblemError 401 for no valid key, and 503 `log_unavailable` for an issued key
   * while this process's view of the revocations is older than allowed
   */
  private keyOf(request: FastifyRequest): ApiKey {
    const { keyRing, issuedKeys } = this.options;
    const key = authenticate(sentKey(request), keyRing, Date.now());
    if (!key.issued || !issuedKeys || issuedKeys.ageMs() <= issuedKeys.mostMs) return key;
    const detail =
      'Cannot verify that this API key is still valid: Kafka has been unreachable for longer than ' +
      'KEYS_MAX_AGE_SECONDS. Keys of the configuration (API_KEYS) still work.';
    throw new ProblemError('log_unavailable', detail, { retryAfterSeconds: 5 });
  }

  private limitRequests(request: FastifyRequest, reply: FastifyReply, key: ApiKey): void {
    let limits = this.limiters.get(key);
    if (key.rateLimit && !limits) this.limiters.set(key, (limits = new KeyRateLimiter(key.rateLimit)));
    if (limits) {
      const now = performance.now();
      limits.take('requests', 1, now);
      void reply.headers(limits.headers(now));
    }
    const check = () => checkScope(request.routeOptions.config as RouteAccessRule, this.keyOf(request));
    storeAuthentication(request, { key, check, reply, ...(limits && { limits }) });
  }

  private throttled(request: FastifyRequest, problem: ProblemError): ProblemError {
    const waitMs = this.failedAttempts.add(clientNetwork(request), performance.now());
    if (waitMs === 0) return problem;
    const detail =
      'Too many requests from this address had a key that is not valid. Check the key, then repeat.';
    return new ProblemError('too_many_requests', detail, { retryAfterSeconds: Math.ceil(waitMs / 1000) });
  }
}

function checkScope(access: RouteAccessRule, key: ApiKey): void {
  if (access.scope) requireKeyScope(key, access.scope, access.orScopes);
}
