import { applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExtension } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { ProblemError } from '#api';
import { limits } from '#event';

/** Rules for the request body of a route, in the route's Fastify config. */
interface BodyConfig {
  accepts?: readonly string[];
  /** True if the route also accepts every JSON media type, and every media type on ports with keys. */
  acceptsAny?: boolean;
  /** True if the route accepts every media type, and bodies that are not text. */
  acceptsBytes?: boolean;
  /** True if a body that is not UTF-8 is read with U+FFFD, and not rejected as a whole. */
  repairsText?: boolean;
  bodyBytes?: number;
}

const defaultAccepts: readonly string[] = ['application/json'];

/** The config of each handler that `AddRouteConfig` has decorated. */
const configs = new WeakMap<object, object>();

/**
 * Merges `config` into the Fastify config of a route. Nest's own `RouteConfig` would replace the config of other
 * decorators.
 */
export function AddRouteConfig(config: object): MethodDecorator {
  return (target, key, descriptor) => {
    const handler = descriptor.value as object;
    const merged = { ...configs.get(handler), ...config };
    configs.set(handler, merged);
    return RouteConfig(merged)(target, key, descriptor);
  };
}

/** Member of an operation in the OpenAPI document with the only port that has it; clients do not see it. */
export const onlyOnPort = 'x-only-on-port';

/** The port that has a route for itself, in the route's Fastify config. */
export interface PortRouteConfig {
  onlyOn?: string;
}

/** Method decorator: only the port with this name serves the route. It must be the first port of its application. */
export function OnlyOnPort(onlyOn: string): MethodDecorator {
  return applyDecorators(
    AddRouteConfig({ onlyOn } satisfies PortRouteConfig),
    ApiExtension(onlyOnPort, onlyOn),
  );
}

/** The encoded body of an error answer, and its media type. */
export interface EncodedProblem {
  type: string;
  body: string | Buffer;
}

/** Encodes the error answer to a request in the format that the protocol of its route requires. */
type ProblemEncoder = (request: FastifyRequest, problem: ProblemError) => EncodedProblem;

interface ProblemConfig {
  problemForm?: ProblemEncoder;
}

/** Method decorator: sets the format of the error answers of this route; default: problem documents (RFC 9457). */
export function EncodeProblemsWith(problemForm: ProblemEncoder): MethodDecorator {
  return AddRouteConfig({ problemForm } satisfies ProblemConfig);
}

export function problemEncoderOf(request: FastifyRequest): ProblemEncoder | undefined {
  return (request.routeOptions.config as ProblemConfig | undefined)?.problemForm;
}

interface AnswerConfig {
  alwaysAnswered?: boolean;
}

/**
 * Marks a route whose answer confirms a change. The answer is sent even if the answer budget is full: a client that
 * gets an error would repeat the change.
 */
export function AlwaysAnswered(): MethodDecorator {
  return AddRouteConfig({ alwaysAnswered: true } satisfies AnswerConfig);
}

export function isAlwaysAnswered(config: object): boolean {
  return (config as AnswerConfig).alwaysAnswered === true;
}

/** Sets the media types that the body of this route may have; default: `application/json`. */
export function Accepts(...accepts: string[]): MethodDecorator {
  return AddRouteConfig({ accepts } satisfies BodyConfig);
}

/**
 * Method decorator: the route accepts these media types and every JSON type, and on ports with keys every media type. A
 * port without keys rejects the other types, because a page of another site can send them without a CORS preflight.
 */
export function AcceptsAny(...accepts: string[]): MethodDecorator {
  return AddRouteConfig({ accepts, acceptsAny: true } satisfies BodyConfig);
}

export function acceptsAny(request: FastifyRequest): boolean {
  return (request.routeOptions.config as BodyConfig).acceptsAny === true;
}

/**
 * Method decorator: the route accepts every media type, and bodies that are not text, on every port. The handler of the
 * route must check the media type and the body, and must require something that a page of another site cannot send
 * without a CORS preflight, such as a header.
 */
export function AcceptsBytes(...accepts: string[]): MethodDecorator {
  return AddRouteConfig({ accepts, acceptsBytes: true } satisfies BodyConfig);
}

/**
 * Method decorator: a body that is not UTF-8 is read with U+FFFD in place of what is not. The handler asks `isRepaired`, and
 * rejects only the values that are concerned.
 */
export function RepairsText(): MethodDecorator {
  return AddRouteConfig({ repairsText: true } satisfies BodyConfig);
}

export function repairsText(request: FastifyRequest): boolean {
  return (request.routeOptions.config as BodyConfig).repairsText === true;
}

export function acceptsBytes(request: FastifyRequest): boolean {
  return (request.routeOptions.config as BodyConfig).acceptsBytes === true;
}

export function acceptsOf(request: FastifyRequest): readonly string[] {
  return (request.routeOptions.config as BodyConfig).accepts ?? defaultAccepts;
}

/** Sets the maximum number of bytes of this route's body, before and after decompression; default: 64 KiB. */
export function BodyLimit(bodyBytes: number): MethodDecorator {
  return AddRouteConfig({ bodyBytes } satisfies BodyConfig);
}

export function bodyLimitOf(request: FastifyRequest): number {
  return (request.routeOptions.config as BodyConfig).bodyBytes ?? limits.definitionBytes;
}
