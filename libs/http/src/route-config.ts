import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import type { FastifyRequest } from 'fastify';
import type { ProblemError } from '#api';
import { limits } from '#event';

/** Rules for the body of a route. */
interface BodyConfig {
  accepts?: readonly string[];
  /** Accepts any JSON type, too, and any other type on ports with keys. */
  acceptsAny?: boolean;
  /** Accepts any media type, and bytes that are not text. */
  acceptsBytes?: boolean;
  bodyBytes?: number;
}

const defaultAccepts: readonly string[] = ['application/json'];

/**
 * Merges `config` into the Fastify config of a route. Nest's own `RouteConfig` would replace the config of other
 * decorators.
 */
export function AddRouteConfig(config: object): MethodDecorator {
  return (target, key, descriptor) => {
    const present = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, descriptor.value as object) as object;
    return RouteConfig({ ...present, ...config })(target, key, descriptor);
  };
}

/** The body of a problem's answer, and its media type. */
export interface EncodedProblem {
  type: string;
  body: string | Buffer;
}

/** Encodes a problem in the format that the protocol of a route requires. */
export type ProblemEncoder = (request: FastifyRequest, problem: ProblemError) => EncodedProblem;

interface ProblemConfig {
  problemForm?: ProblemEncoder;
}

/** Sets the format of the problems of this route; default: problem documents (RFC 9457). */
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
 * Accepts these media types and every JSON type, and every media type on ports with keys. A port without keys rejects
 * the other types, because a page of another site can send them without a CORS preflight.
 */
export function AcceptsAny(...accepts: string[]): MethodDecorator {
  return AddRouteConfig({ accepts, acceptsAny: true } satisfies BodyConfig);
}

export function acceptsAny(request: FastifyRequest): boolean {
  return (request.routeOptions.config as BodyConfig).acceptsAny === true;
}

/**
 * Accepts every media type, and bytes that are not text, on every port. The handler checks them. It requires something
 * that a page of another site cannot send without a CORS preflight, such as a header.
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

/** Sets the maximum number of bytes of this route's body, before and after decompression; default: 64 KiB. */
export function BodyLimit(bodyBytes: number): MethodDecorator {
  return AddRouteConfig({ bodyBytes } satisfies BodyConfig);
}

export function bodyLimitOf(request: FastifyRequest): number {
  return (request.routeOptions.config as BodyConfig).bodyBytes ?? limits.definitionBytes;
}
