import 'reflect-metadata';
import {
  Body as JsonBody,
  createParamDecorator,
  Param,
  Query as QueryParameters,
  type ArgumentMetadata,
  type CanActivate,
  type ExecutionContext,
  type PipeTransform,
} from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ProblemError } from '#api';
import { DescribeBody, DescribeQuery } from '../openapi/schema-of.js';
import { AddRouteConfig, rulesOf } from '../route-config.js';
import { whenClosed } from '../when-closed.js';
import { parseBody, parseQuery } from './parse-input.js';

type Class = new () => object;

interface InputOptions {
  /** The class, if the parameter's type does not name it. */
  as?: Class;
  /** Treats a request without a body like one with an empty object. */
  mayBeEmpty?: boolean;
}

/** Injects the JSON body as a validated instance of the parameter's class, and documents it. */
export function Body(options: InputOptions = {}): ParameterDecorator {
  return (target, key, index) => {
    JsonBody(new ValidatingPipe(options))(target, key, index);
    const { type, document } = handlerOf(target, key, index);
    document(DescribeBody(options.as ?? type));
  };
}

/** Injects the query parameters as a validated instance of the parameter's class, and documents them. */
export function Query(options: Pick<InputOptions, 'as'> = {}): ParameterDecorator {
  return (target, key, index) => {
    QueryParameters(new ValidatingPipe(options))(target, key, index);
    const { type, document } = handlerOf(target, key, index);
    document(DescribeQuery(options.as ?? type));
    document(TakesQuery());
  };
}

/** Parses the query parameters or the body of a request into their class, and validates them. */
export class ValidatingPipe implements PipeTransform {
  constructor(private readonly options: InputOptions = {}) {}

  /** Returns an instance of the parameter's class. @throws ProblemError */
  transform(value: unknown, { type, metatype }: ArgumentMetadata): object {
    const input = this.options.as ?? (metatype as Class);
    if (type === 'query') return parseQuery(input, value);
    if (this.options.mayBeEmpty && !(Buffer.isBuffer(value) && value.length > 0)) return new input();
    return parseBody(input, value);
  }
}

/**
 * Parameter decorator of a handler: injects a parameter of the path, and adds it to the OpenAPI document.
 * @param read Returns the value for the handler. It throws a ProblemError for an invalid text.
 */
export function PathParameter(
  described: { name: string; description?: string; schema: Record<string, unknown> },
  read: (text: string) => unknown = (text) => text,
): ParameterDecorator {
  return (target, key, index) => {
    Param(described.name, { transform: read })(target, key, index);
    handlerOf(target, key, index).document(ApiParam(described));
  };
}

/** Returns the class of a decorated parameter, and a function that applies a method decorator to its handler. */
function handlerOf(target: object, key: string | symbol | undefined, index: number) {
  if (key === undefined) throw new Error('Only a parameter of a handler can be decorated');
  const types = Reflect.getMetadata('design:paramtypes', target, key) as Class[];
  const descriptor = Object.getOwnPropertyDescriptor(target, key) as PropertyDescriptor;
  const document = (decorator: MethodDecorator): void => void decorator(target, key, descriptor);
  return { type: types[index] as Class, document };
}

/** Method decorator: the handler reads the query parameters itself. Routes without it or `Query` reject parameters. */
export function TakesQuery(): MethodDecorator {
  return AddRouteConfig({ takesQuery: true });
}

/** The class of the query parameters of a route that has none. */
export class NoQuery {}

/** Nest guard that rejects a request with query parameters if its handler takes none. */
export class NoParametersGuard implements CanActivate {
  /**
   * Always returns true. @throws ProblemError 400 `invalid_request` for a query parameter of a handler that takes none
   */
  canActivate(context: ExecutionContext): true {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (request.url.includes('?') && !rulesOf(request.routeOptions).takesQuery)
      parseQuery(NoQuery, request.query);
    return true;
  }
}

/**
 * Injects an AbortSignal that is aborted when the client disconnects before the whole answer was sent. The abort reason
 * is a `request_timeout` problem, so an error with this reason is logged as a client error and not as a failure of the
 * server.
 */
export const DisconnectSignal = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const { raw } = context.switchToHttp().getResponse<FastifyReply>();
  const controller = new AbortController();
  const abort = () => controller.abort(new ProblemError('request_timeout', 'The client disconnected.'));
  whenClosed(raw, () => {
    if (!raw.writableFinished) abort();
  });
  if (raw.destroyed) abort();
  return controller.signal;
});
