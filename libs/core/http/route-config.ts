import type { Server } from 'node:http';
import { applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExtension } from '@nestjs/swagger';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ProblemError } from '#api';

/** The encoded body of an error answer, and its media type. */
export interface EncodedProblem {
  type: string;
  body: string | Buffer;
}

/** Encodes the error answer to a request in the format that the protocol of its route requires. */
type ProblemEncoder = (request: FastifyRequest, problem: ProblemError) => EncodedProblem;

/** The rules of a route, in its Fastify config. Its decorators set and describe them, and the hooks of ports read them. */
export interface RouteRules {
  accepts?: readonly string[];
  acceptsAny?: boolean;
  acceptsBytes?: boolean;
  repairsText?: boolean;
  bodyBytes?: number;
  onlyOn?: string;
  problemForm?: ProblemEncoder;
  alwaysAnswered?: boolean;
  takesQuery?: boolean;
  basicAuth?: boolean;
  clickHouseCredentials?: boolean;
}

const noRules: RouteRules = {};

/** Returns the rules of a route, or of the route of a request (`request.routeOptions`). */
export function rulesOf({ config = noRules }: { config?: object | undefined }): RouteRules {
  return config;
}

export const defaultAccepts: readonly string[] = ['application/json'];

/** The config of each handler that `AddRouteConfig` has decorated. */
const configs = new WeakMap<object, object>();

/** Merges `config` into the Fastify config of a route. Nest's `RouteConfig` would replace that of other decorators. */
export function AddRouteConfig(config: RouteRules | Record<string, unknown>): MethodDecorator {
  return (target, key, descriptor) => {
    const handler = descriptor.value as object;
    const merged = { ...configs.get(handler), ...config };
    configs.set(handler, merged);
    return RouteConfig(merged)(target, key, descriptor);
  };
}

/** Member of an operation in the OpenAPI document with the only port that has it; clients do not see it. */
export const onlyOnPort = 'x-only-on-port';

/** Method decorator: only the port with this name serves the route. It must be the first port of its application. */
export function OnlyOnPort(onlyOn: string): MethodDecorator {
  return applyDecorators(AddRouteConfig({ onlyOn }), ApiExtension(onlyOnPort, onlyOn));
}

/** Method decorator: sets the format of the error answers of this route; default: problem documents (RFC 9457). */
export function EncodeProblemsWith(problemForm: ProblemEncoder): MethodDecorator {
  return AddRouteConfig({ problemForm });
}

/** Marks a route whose answer confirms a change: it is sent even if the answer budget is full, so it is not repeated. */
export function AlwaysAnswered(): MethodDecorator {
  return AddRouteConfig({ alwaysAnswered: true });
}

/** Returns whether the Fastify config of a route has `AlwaysAnswered`. */
export function isAlwaysAnswered(config: object): boolean {
  return rulesOf({ config }).alwaysAnswered === true;
}

/** Sets the media types that the body of this route may have; default: `application/json`. */
export function Accepts(...accepts: string[]): MethodDecorator {
  return AddRouteConfig({ accepts });
}

/**
 * Method decorator: the route accepts these media types and every JSON type, and on ports with keys every media type. A
 * port without keys rejects the other types, because a page of another site can send them without a CORS preflight.
 */
export function AcceptsAny(...accepts: string[]): MethodDecorator {
  return AddRouteConfig({ accepts, acceptsAny: true });
}

/**
 * Method decorator: the route accepts every media type, and bodies that are not text, on every port. The handler of the
 * route must check the media type and the body, and must require something that a page of another site cannot send
 * without a CORS preflight, such as a header.
 */
export function AcceptsBytes(...accepts: string[]): MethodDecorator {
  return AddRouteConfig({ accepts, acceptsBytes: true });
}

/**
 * Method decorator: a body that is not UTF-8 is read with U+FFFD in place of the invalid bytes. The handler asks
 * `isRepaired`, and rejects only the values that are concerned.
 */
export function RepairsText(): MethodDecorator {
  return AddRouteConfig({ repairsText: true });
}

/** Sets the maximum number of bytes of this route's body, before and after decompression; default: 64 KiB. */
export function BodyLimit(bodyBytes: number): MethodDecorator {
  return AddRouteConfig({ bodyBytes });
}

const portNames = new WeakMap<object, string>();

/** Sets the name of an HTTP port, such as `query`, with which audit events name it. */
export function namePort(instance: FastifyInstance, name: string): void {
  portNames.set(instance.server, name);
}

/** Returns the name of the HTTP port that received a request. */
export function portOf(request: FastifyRequest): string {
  return portNames.get(request.server.server satisfies Server) ?? 'unknown';
}
