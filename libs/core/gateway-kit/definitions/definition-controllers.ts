import {
  applyDecorators,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Post,
  Put,
  Res,
  type Type,
} from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { ProblemCode } from '#api';
import {
  AlwaysAnswered,
  Body,
  DisconnectSignal,
  InjectPrincipal,
  NoQuery,
  PathParameter,
  Principal,
  Query,
  RequireScope,
  type KeyScope,
} from '#http';
import { pageByName } from '../lists/page-by-name.js';
import { ApiAnswer, NoContent, Problems, changeProblems, storeAndLogProblems } from '../openapi/problems.js';
import { PageParameters } from '../parameters/decorators.js';
import { nameParam, requireDefinitionName, requireSameName, type RunningKind } from './definition-name.js';
import type {
  DefinitionResource,
  ResettableDefinitionResource,
  RunningDefinition,
} from './visible-definitions.js';

/** What the OpenAPI document says about a route. */
interface RouteText {
  summary: string;
  description?: string;
  /** The description of the successful answer. */
  answer: string;
}

/** Routes that every kind has. */
type CommonRoute = 'list' | 'get' | 'replace' | 'remove' | 'pause' | 'resume';

/** What all kinds of definitions describe of their routes. */
interface CommonRoutes {
  what: RunningKind;
  /** Scopes of which each suffices to read definitions, beside `definitions:read`. Default: none. */
  orReadScopes?: KeyScope[];
  /** The body that replaces a definition, with an optional name. */
  replacement: Type<{ name?: string | null }>;
  /** Query parameters of the replacement. Default: none. */
  replacementQuery?: Type<object>;
  answer: Type<object>;
  detail: Type<object>;
  list: Type<object>;
}

/** A kind whose definitions a POST creates, and that can be reset. */
interface ResettableRoutes<D extends RunningDefinition> extends CommonRoutes {
  service: Type<ResettableDefinitionResource<D>>;
  /** The body that creates a definition, with the member `name`. */
  input: Type<{ name: string }>;
  /** Problem codes of a definition that cannot be created, and of one that cannot be replaced. */
  problems: Record<'create' | 'replace', readonly ProblemCode[]>;
  text: Record<CommonRoute | 'create' | 'reset', RouteText>;
}

/** A kind whose definitions a PUT creates or replaces, and that cannot be reset. */
interface PutRoutes<D extends RunningDefinition> extends CommonRoutes {
  service: Type<DefinitionResource<D>>;
  input?: never;
  problems: Record<'replace', readonly ProblemCode[]>;
  text: Record<CommonRoute, RouteText> & { create?: never; reset?: never };
}

/** The routes of one kind of definition: its classes, its sentences, and the service behind them. */
type DefinitionRoutes<D extends RunningDefinition> = ResettableRoutes<D> | PutRoutes<D>;

/** Applies the decorators of a route only if its kind has the route: a method without them is none. */
const If = (hasRoute: boolean, decorators: () => MethodDecorator[]): MethodDecorator =>
  applyDecorators(...(hasRoute ? decorators() : []));

/**
 * Returns the controllers of one kind of definition: one lists and creates (`/api/v1/<kind>s`), the other one reads,
 * replaces, deletes, pauses, resumes and resets a definition (`/api/v1/<kind>s/{name}`). Without `input`, there is no
 * POST: the PUT of a name that does not exist creates the definition. Without a text for `reset`, there is no reset.
 */
export function definitionControllers<D extends RunningDefinition>(
  routes: DefinitionRoutes<D>,
): { all: Type; one: Type } {
  const { what, service, input, replacementQuery = NoQuery, orReadScopes = [] } = routes;
  const problems: Partial<ResettableRoutes<D>['problems']> = routes.problems;
  const text: Partial<ResettableRoutes<D>['text']> = routes.text;
  const collection = `${what}s`;
  const title = what[0]?.toUpperCase() + what.slice(1);
  const notFound = `${what}_not_found` as const;
  const Name = () => PathParameter(nameParam(what), (name) => requireDefinitionName(what, name));
  /** The operation id is the one that Nest would derive from a controller of this name. */
  const operation = (route: keyof typeof text, id: string) => {
    const { summary = '', description } = text[route] ?? {};
    return ApiOperation({ summary, ...(description && { description }), operationId: `${title}${id}` });
  };

  const Answer = (route: keyof typeof text, status = 200) =>
    ApiAnswer(routes.answer, { status, description: text[route]?.answer ?? '' });
  const located = (reply: FastifyReply, { name }: RunningDefinition) =>
    reply.header('location', `/api/v1/${collection}/${name}`);

  /** A route that changes the state of a definition, and answers with the definition. */
  const Change = (route: 'pause' | 'resume' | 'reset', ...codes: Parameters<typeof Problems>) =>
    applyDecorators(
      Problems(...codes),
      Answer(route),
      operation(route, `LifecycleController_${route}`),
      RequireScope('definitions:write'),
      HttpCode(200),
      AlwaysAnswered(),
      Post(route),
    );

  @ApiTags(collection)
  @Controller(`api/v1/${collection}`)
  class DefinitionsController {
    constructor(@Inject(service) private readonly resource: ResettableDefinitionResource<D>) {}

    @If(input !== undefined, () => [
      Problems(problems.create ?? []),
      ApiAnswer(routes.answer, { description: `The ${what} exists already.` }),
      Answer('create', 201),
      operation('create', 'sController_define'),
      RequireScope('definitions:write'),
      AlwaysAnswered(),
      Post(),
    ])
    async create(
      @Body({ as: input ?? routes.replacement }) body: { name: string },
      @InjectPrincipal() caller: Principal,
      @DisconnectSignal() client: AbortSignal,
      @Res({ passthrough: true }) reply: FastifyReply,
    ): Promise<object> {
      const { definition, created } = await this.resource.create({ input: body, client }, caller);
      void located(reply, definition).code(created ? 201 : 200);
      return this.resource.answer(definition);
    }

    @Get()
    @RequireScope('definitions:read', ...orReadScopes)
    @operation('list', 'sController_list')
    @ApiAnswer(routes.list, { description: routes.text.list.answer })
    @Problems('invalid_cursor', storeAndLogProblems)
    async list(
      @Query() { limit, cursor }: PageParameters,
      @InjectPrincipal() { access }: Principal,
      @DisconnectSignal() client: AbortSignal,
    ): Promise<object> {
      const all = this.resource.visible.all(access);
      const { items, end } = pageByName(all, ({ name }) => name, { limit, cursor, boundTo: [collection] });
      return { [collection]: await this.resource.answersWithStats(items, client), ...end };
    }
  }

  @ApiTags(collection)
  @Controller(`api/v1/${collection}/:name`)
  class DefinitionController {
    constructor(@Inject(service) private readonly resource: ResettableDefinitionResource<D>) {}

    @Get()
    @RequireScope('definitions:read', ...orReadScopes)
    @operation('get', 'Controller_one')
    @ApiAnswer(routes.detail, { description: routes.text.get.answer })
    @Problems(notFound, storeAndLogProblems)
    async get(
      @Name() name: string,
      @InjectPrincipal() { access }: Principal,
      @DisconnectSignal() client: AbortSignal,
    ): Promise<object> {
      return this.resource.detail(this.resource.visible.get(name, access), client);
    }

    @Put()
    @AlwaysAnswered()
    @RequireScope('definitions:write')
    @operation('replace', 'Controller_replace')
    @If(input === undefined, () => [
      ApiAnswer(routes.answer, { status: 201, description: `The ${what} is created.` }),
    ])
    @Answer('replace')
    @Problems(routes.problems.replace)
    async replace(
      @Name() name: string,
      @Query({ as: replacementQuery }) query: object,
      @Body({ as: routes.replacement }) body: { name?: string | null },
      @InjectPrincipal() caller: Principal,
      @DisconnectSignal() client: AbortSignal,
      @Res({ passthrough: true }) reply: FastifyReply,
    ): Promise<object> {
      requireSameName(what, body, name);
      const request = { input: body, query, client };
      const { definition, created } = await this.resource.replace(name, request, caller);
      if (created) void located(reply, definition).code(201);
      return this.resource.answer(definition);
    }

    @Delete()
    @AlwaysAnswered()
    @HttpCode(204)
    @RequireScope('definitions:write')
    @operation('remove', 'Controller_remove')
    @NoContent(routes.text.remove.answer)
    @Problems(notFound, changeProblems)
    async remove(@Name() name: string, @InjectPrincipal() caller: Principal): Promise<void> {
      await this.resource.remove(name, caller);
    }

    @Change('pause', notFound, changeProblems)
    async pause(@Name() name: string, @InjectPrincipal() caller: Principal): Promise<object> {
      return this.resource.answer(await this.resource.visible.pause(name, caller));
    }

    @Change('resume', notFound, changeProblems)
    async resume(@Name() name: string, @InjectPrincipal() caller: Principal): Promise<object> {
      return this.resource.answer(await this.resource.visible.resume(name, caller));
    }

    @If(text.reset !== undefined, () => [Change('reset', notFound, 'stream_not_found', changeProblems)])
    async reset(@Name() name: string, @InjectPrincipal() caller: Principal): Promise<object> {
      return this.resource.answer(await this.resource.reset(name, caller));
    }
  }

  return { all: DefinitionsController, one: DefinitionController };
}
