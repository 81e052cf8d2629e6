import type { OpenAPIObject } from '@nestjs/swagger';
import { IsInt, IsObject, IsString } from 'class-validator';
import { problemContent } from '../problems/describe-problems.js';
import { onlyOnPort } from '../route-config.js';

type JsonObject = Record<string, unknown>;

const describeProblem = (description: string) => ({ description, content: problemContent });
const problem = describeProblem('A problem (RFC 9457).');

/** Answers that every route can give on ports that require keys. */
const keyProblems: Record<string, object> = {
  401: describeProblem(
    '`unauthenticated`: the request has no key. `invalid_token`: the key is unknown, revoked or expired.',
  ),
  403: describeProblem('`insufficient_scope`, `stream_forbidden`: the key does not permit this.'),
  429: {
    ...describeProblem(
      '`too_many_requests`: over the limit of the key on this instance, or too many wrong keys.',
    ),
    headers: {
      'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } },
      'RateLimit-Policy': { description: 'What the key may use per second.', schema: { type: 'string' } },
      RateLimit: {
        description: 'What remains of the limit, and the seconds until more is available.',
        schema: { type: 'string' },
      },
    },
  },
};

const healthAnswer = {
  description: 'The overall status, and the status of each check.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/HealthAnswer' } } },
};

/** Routes that are added to Fastify directly: Nest does not document them. */
const systemRoutes = (): Record<string, JsonObject> => ({
  '/health': health('Checks everything that this process depends on'),
  '/health/live': { get: { ...health('Checks that this process makes progress').get, security: [] } },
  '/health/ready': health('Checks that this process can serve requests'),
  '/metrics': {
    get: {
      tags: ['system'],
      summary: 'Metrics in the Prometheus text format',
      description: 'Metrics contain stream names: a key that is limited to some streams may not read them.',
      responses: {
        200: { description: 'The metrics.', content: { 'text/plain': { schema: { type: 'string' } } } },
      },
    },
  },
});

/**
 * Completes the document that Nest derives from the controllers: adds the system routes, the key on ports that require
 * one, and a problem as the default answer of every route. Removes unused schemas, and examples that Swagger UI would
 * send.
 */
export function completeDocument(
  document: OpenAPIObject,
  { schemas, keys }: { schemas: Record<string, JsonObject>; keys: boolean },
): OpenAPIObject {
  const paths: OpenAPIObject['paths'] = { ...document.paths, ...systemRoutes() };
  for (const item of Object.values(paths)) {
    for (const operation of Object.values(item as Record<string, Operation>)) {
      operation.responses = responsesOf(operation, keys);
      if (!keys && operation.security?.length) delete operation.security;
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

/** Returns the paths without the operations that another port has for itself. */
export function operationsOfPort(paths: OpenAPIObject['paths'], port: string): OpenAPIObject['paths'] {
  const shown: OpenAPIObject['paths'] = {};
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(item as Record<string, Operation>)) {
      const { [onlyOnPort]: only = port, ...described } = operation;
      if (only === port) shown[path] = { ...shown[path], [method]: described };
    }
  }
  return shown;
}

interface Operation {
  [onlyOnPort]?: string;
  responses: JsonObject;
  parameters?: DocumentedParameter[];
  security?: unknown[];
}

/** Returns the answers of an operation. A public route has `security: []`. */
function responsesOf({ responses, security }: Operation, keys: boolean): JsonObject {
  const { 401: _unauthenticated, ...others } = responses;
  if (!keys) return { default: problem, ...others };
  return { ...(security?.length !== 0 && keyProblems), default: problem, ...responses };
}

function health(summary: string) {
  const responses = { 200: healthAnswer, 503: healthAnswer };
  return { get: { tags: ['system'], summary, responses } };
}

/** Returns the schemas that the paths refer to, directly or through other schemas. */
function used(paths: object, all: Record<string, object>): Record<string, object> {
  const found = new Map<string, object>();
  const visit = (value: object): void => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"/]+)"/g)) {
      const schema = all[name];
      if (!schema || found.has(name)) continue;
      found.set(name, schema);
      visit(schema);
    }
  };
  visit(paths);
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A parameter of an operation in an OpenAPI document. */
export interface DocumentedParameter {
  in: string;
  required?: boolean;
  description?: string;
  schema?: object;
}

/**
 * Moves the example of an optional parameter from its schema into its description. Swagger UI fills in examples and
 * sends them, so "Try it out" would use every filter at once and find nothing.
 */
export function withoutPrefilling(parameter: DocumentedParameter): DocumentedParameter {
  const { example, ...schema } = (parameter.schema ?? {}) as { example?: unknown };
  if (parameter.required || example === undefined) return parameter;
  const texts = (Array.isArray(example) ? example : [example]).map((one) => `\`${String(one)}\``);
  return {
    ...parameter,
    description: `${parameter.description ?? ''} For example ${texts.join(', ')}.`,
    schema,
  };
}

/** The answer of `/health`, `/health/live` and `/health/ready`. */
export class HealthAnswer {
  /**
   * Overall status: `ok`; `degraded`, if the process works, but an operator must act; `failing`, `starting` or
   * `stopping`.
   */
  @IsString() status: string;
  @IsString() version: string;
  @IsInt() uptime_seconds: number;
  /**
   * Results by the name of the check; each has at least a `status`: `ok`, `degraded` or `failing`. Keys that are limited
   * to some streams get only statuses and durations, no counts and errors; for them, `degraded` is `ok`.
   */
  @IsObject() checks: object;
}
