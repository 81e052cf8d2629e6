import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import type { FastifyRequest } from 'fastify';
import type { ProblemError } from '#api';
import { limits } from '#event';

/** What the body of a route may be. */
interface BodyConfig {
  accepts?: readonly string[];
  /** Also any JSON type, and any other type on ports with keys. */
  acceptsAny?: boolean;
  /** Any media type, also of bytes that are not text. */
  acceptsBytes?: boolean;
  bodyBytes?: number;
}

const defaultAccepts: readonly string[] = ['application/json'];

/** Adds to what other decorators have put into a route's Fastify config; Nest's own `RouteConfig` replaces it. */
export function AddRouteConfig(config: object): MethodDecorator {
  return (target, key, descriptor) => {
    const present = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, descriptor.value as object) as object;
    return RouteConfig({ ...present, ...config })(target, key, descriptor);
  };
}

/** The body of an answer, and its media type. */
export interface SentProblem {
  type: string;
  body: string | Buffer;
}

/** Encodes a problem in the form that the protocol of a route asks for. */
export type ProblemForm = (request: FastifyRequest, problem: ProblemError) => SentProblem;

interface ProblemConfig {
  problemForm?: ProblemForm;
}

/** Answers the problems of this route in this form; without it: problem documents (RFC 9457). */
export function ProblemsAs(problemForm: ProblemForm): MethodDecorator {
  return AddRouteConfig({ problemForm } satisfies ProblemConfig);
}

export function problemFormOf(request: FastifyRequest): ProblemForm | undefined {
  return (request.routeOptions.config as ProblemConfig | undefined)?.problemForm;
}

interface AnswerConfig {
  alwaysAnswered?: boolean;
}

/**
 * Marks a route whose answer says what was changed: it is sent however many bytes of other answers wait. A client that is
 * told otherwise would change it again.
 */
export function AlwaysAnswered(): MethodDecorator {
  return AddRouteConfig({ alwaysAnswered: true } satisfies AnswerConfig);
}

export function isAlwaysAnswered(config: object): boolean {
  return (config as AnswerConfig).alwaysAnswered === true;
}

/** The media types that this route's body may have; without it: `application/json`. */
export function Accepts(...accepts: string[]): MethodDecorator {
  return AddRouteConfig({ accepts } satisfies BodyConfig);
}

/**
 * Takes these media types and every JSON type, and on ports with keys every media type: a page of another site can send
 * some types, but no JSON type, to a port without keys and without asking.
 */
export function AcceptsAny(...accepts: string[]): MethodDecorator {
  return AddRouteConfig({ accepts, acceptsAny: true } satisfies BodyConfig);
}

export function acceptsAny(request: FastifyRequest): boolean {
  return (request.routeOptions.config as BodyConfig).acceptsAny === true;
}

/**
 * Takes every media type, and bytes that are not text, on every port. The handler checks them, and requires something of
 * the request that a page of another site cannot send without asking, such as a header.
 */
export function AcceptsBytes(...accepts: string[]): MethodDecorator {
  return AddRouteConfig({ accepts, acceptsBytes: true } satisfies BodyConfig);
}

export function acceptsBytes(request: FastifyRequest): boolean {
  return (request.routeOptions.config as BodyConfig).acceptsBytes === true;
}

export function acceptsOf(request: FastifyRequest): readonly string[] {
  return (request.routeOptions.config as BodyConfig).accepts ?? defaultAccepts;
}

/** The most bytes that this route's body may have, before and after decompression; without it: 64 KiB. */
export function BodyLimit(bodyBytes: number): MethodDecorator {
  return AddRouteConfig({ bodyBytes } satisfies BodyConfig);
}

export function bodyLimitOf(request: FastifyRequest): number {
  return (request.routeOptions.config as BodyConfig).bodyBytes ?? limits.definitionBytes;
}
