import type { OpenAPIObject } from '@nestjs/swagger';
import { withoutPrefilling, type DocumentedParameter } from './parameter-examples.js';

type JsonObject = Record<string, unknown>;

const problem = describeProblem('A problem (RFC 9457).');

/** What every route answers where keys are asked for. */
const keyProblems: Record<string, object> = {
  401: describeProblem(
    '`unauthenticated`: there is no key. `invalid_token`: it is unknown, revoked or expired.',
  ),
  403: describeProblem('`insufficient_scope`, `stream_forbidden`: the key does not permit this.'),
  429: {
    ...describeProblem(
      '`too_many_requests`: over the limit of the key on this instance, or too many wrong keys.',
    ),
    headers: {
      'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } },
      'RateLimit-Policy': { description: 'What the key may do in a second.', schema: { type: 'string' } },
      RateLimit: {
        description: 'What is left of it, and the seconds until more is.',
        schema: { type: 'string' },
      },
    },
  },
};

const healthAnswer = {
  description: 'What was found; each check with its status.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/HealthAnswer' } } },
};

/** The routes that are Fastify's own, which Nest does not know of. */
const systemRoutes = (): Record<string, JsonObject> => ({
  '/health': health('Whether everything works that this process depends on'),
  '/health/live': { get: { ...health('Whether this process makes progress').get, security: [] } },
  '/health/ready': health('Whether this process can serve'),
  '/metrics': {
    get: {
      tags: ['system'],
      summary: 'Metrics in the Prometheus text format',
      description: 'They name streams: a key that is limited to some streams may not read them.',
      responses: {
        200: { description: 'The metrics.', content: { 'text/plain': { schema: { type: 'string' } } } },
      },
    },
  },
});

/**
 * Completes what Nest makes of the controllers: the system routes, the key where one is asked for, a problem as every
 * route's other answer, no example that is sent by itself, and of all schemas those that are used.
 */
export function completeDocument(
  document: OpenAPIObject,
  { schemas, keys }: { schemas: Record<string, JsonObject>; keys: boolean },
): OpenAPIObject {
  const paths: OpenAPIObject['paths'] = { ...document.paths, ...systemRoutes() };
  for (const item of Object.values(paths)) {
    for (const operation of Object.values(item as Record<string, Operation>)) {
      operation.responses = responsesOf(operation, keys);
      if (operation.parameters) operation.parameters = operation.parameters.map(withoutPrefilling);
    }
  }
  const all = { ...document.components?.schemas, ...schemas };
  return {
    ...document,
    paths,
    ...(keys && { security: [{ bearer: [] }] }),
    components: { ...document.components, schemas: used(paths, all) },
  };
}

interface Operation {
  responses: JsonObject;
  parameters?: DocumentedParameter[];
  security?: unknown[];
}

/** A route that is public has `security: []`. */
function responsesOf({ responses, security }: Operation, keys: boolean): JsonObject {
  const { 401: _unauthenticated, ...others } = responses;
  if (!keys) return { default: problem, ...others };
  return { ...(security?.length !== 0 && keyProblems), default: problem, ...responses };
}

function describeProblem(description: string) {
  const content = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };
  return { description, content };
}

function health(summary: string) {
  const responses = { 200: healthAnswer, 503: healthAnswer };
  return { get: { tags: ['system'], summary, responses } };
}

/** The schemas that are referred to, directly or by one another. */
function used(paths: object, all: Record<string, object>): Record<string, object> {
  const found = new Map<string, object>();
  const visit = (value: object): void => {
    for (const [, name] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"/]+)"/g)) {
      const schema = name === undefined ? undefined : all[name];
      if (name === undefined || !schema || found.has(name)) continue;
      found.set(name, schema);
      visit(schema);
    }
  };
  visit(paths);
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}
