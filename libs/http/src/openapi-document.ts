import type { OpenAPIObject } from '@nestjs/swagger';

type JsonObject = Record<string, unknown>;

const problem = {
  description: 'A problem (RFC 9457).',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

const healthAnswer = {
  description: 'What was found; each check with its status.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/HealthAnswer' } } },
};

/** The routes that are Fastify's own, which Nest does not know of. */
const systemRoutes: Record<string, JsonObject> = {
  '/health': health('Whether everything works that this process depends on'),
  '/health/live': { get: { ...health('Whether this process makes progress').get, security: [] } },
  '/health/ready': health('Whether this process can serve'),
  '/metrics': {
    get: {
      tags: ['system'],
      summary: 'Metrics in the Prometheus text format',
      responses: {
        200: { description: 'The metrics.', content: { 'text/plain': { schema: { type: 'string' } } } },
      },
    },
  },
};

/**
 * Completes what Nest makes of the controllers: the system routes, the key, a problem as every route's other answer,
 * and of all schemas those that are used.
 */
export function completeDocument(
  document: OpenAPIObject,
  schemas: Record<string, JsonObject>,
): OpenAPIObject {
  const paths: OpenAPIObject['paths'] = { ...document.paths, ...systemRoutes };
  for (const item of Object.values(paths)) {
    for (const operation of Object.values(item as Record<string, { responses: JsonObject }>)) {
      operation.responses = { ...operation.responses, default: problem };
    }
  }
  const all = { ...document.components?.schemas, ...schemas };
  return {
    ...document,
    paths,
    security: [{ bearer: [] }],
    components: { ...document.components, schemas: used(paths, all) },
  };
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
