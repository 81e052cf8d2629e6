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
} from '#http';
import { pageByName } from '../lists/page-by-name.js';
import { ApiAnswer, NoContent, Problems, changeProblems, storeAndLogProblems } from '../openapi/problems.js';
import { PageParameters } from '../parameters/decorators.js';
import {
  nameParam,
  requireDefinitionName,
  requireSameName,
  type ProjectionOrPipelineKind,
} from './definition-name.js';
import type { DefinitionResource, RunningDefinition } from './visible-definitions.js';

/** What the OpenAPI document says about a route. */
interface RouteText {
  summary: string;
  description?: string;
  /** The description of the successful answer. */
  answer: string;
}

/** The routes of one kind of definition: its classes, its sentences, and the service behind them. */
interface DefinitionRoutes<D extends RunningDefinition> {
  what: ProjectionOrPipelineKind;
  service: Type<DefinitionResource<D>>;
  /** The body that creates a definition, with the member `name`. */
  input: Type<{ name: string }>;
  /** The body that replaces a definition, with an optional name. */
  replacement: Type<{ name?: string | null }>;
  /** Query parameters of the replacement. Default: none. */
  replacementQuery?: Type<object>;
  answer: Type<object>;
  detail: Type<object>;
  list: Type<object>;
  /** Problem codes of a definition that cannot be created, and of one that cannot be replaced. */
  problems: Record<'create' | 'replace', readonly ProblemCode[]>;
  text: Record<'create' | 'list' | 'get' | 'replace' | 'remove' | 'pause' | 'resume' | 'reset', RouteText>;
}

/**
 * Returns the controllers of one kind of definition: one lists and creates (`/api/v1/<kind>s`), the other one reads,
 * replaces, deletes, pauses, resumes and resets a definition (`/api/v1/<kind>s/{name}`).
 */
export function definitionControllers<D extends RunningDefinition>(
  routes: DefinitionRoutes<D>,
): { all: Type; one: Type } {
  const { what, service, text, problems, replacementQuery = NoQuery } = routes;
  const collection = `${what}s`;
  const title = what[0]?.toUpperCase() + what.slice(1);
  const notFound = `${what}_not_found` as const;
  const Name = () => PathParameter(nameParam(what), (name) => requireDefinitionName(what, name));
  /** The operation id is the one that Nest would derive from a controller of this name. */
  const operation = (route: keyof typeof text, id: string) => {
    const { summary, description } = text[route];
    return ApiOperation({ summary, ...(description && { description }), operationId: `${title}${id}` });
  };

  /** A route that changes the state of a definition, and answers with the definition. */
  const Change = (route: 'pause' | 'resume' | 'reset', ...codes: Parameters<typeof Problems>) =>
    applyDecorators(
      Problems(...codes),
      ApiAnswer(routes.answer, { description: text[route].answer }),
      operation(route, `LifecycleController_${route}`),
      RequireScope('definitions:write'),
      HttpCode(200),
      AlwaysAnswered(),
      Post(route),
    );

  @ApiTags(collection)
  @Controller(`api/v1/${collection}`)
  class DefinitionsController {
    constructor(@Inject(service) private readonly resource: DefinitionResource<D>) {}

    @Post()
    @AlwaysAnswered()
    @RequireScope('definitions:write')
    @operation('create', 'sController_define')
    @ApiAnswer(routes.answer, { status: 201, description: text.create.answer })
    @ApiAnswer(routes.answer, { description: `The ${what} exists already.` })
    @Problems(problems.create)
    async create(
      @Body({ as: routes.input }) input: { name: string },
      @InjectPrincipal() caller: Principal,
      @DisconnectSignal() client: AbortSignal,
      @Res({ passthrough: true }) reply: FastifyReply,
    ): Promise<object> {
      const { definition, created } = await this.resource.create({ input, client }, caller);
      void reply.code(created ? 201 : 200).header('location', `/api/v1/${collection}/${definition.name}`);
      return this.resource.answer(definition);
    }

    @Get()
    @RequireScope('definitions:read')
    @operation('list', 'sController_list')
    @ApiAnswer(routes.list, { description: text.list.answer })
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
    constructor(@Inject(service) private readonly resource: DefinitionResource<D>) {}

    @Get()
    @RequireScope('definitions:read')
    @operation('get', 'Controller_one')
    @ApiAnswer(routes.detail, { description: text.get.answer })
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
    @ApiAnswer(routes.answer, { description: text.replace.answer })
    @Problems(problems.replace)
    async replace(
      @Name() name: string,
      @Query({ as: replacementQuery }) query: object,
      @Body({ as: routes.replacement }) input: { name?: string | null },
      @InjectPrincipal() caller: Principal,
      @DisconnectSignal() client: AbortSignal,
    ): Promise<object> {
      requireSameName(what, input, name);
      this.resource.visible.get(name, caller.access);
      return this.resource.answer(await this.resource.replace(name, { input, query, client }, caller));
    }

    @Delete()
    @AlwaysAnswered()
    @HttpCode(204)
    @RequireScope('definitions:write')
    @operation('remove', 'Controller_remove')
    @NoContent(text.remove.answer)
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

    @Change('reset', notFound, 'stream_not_found', changeProblems)
    async reset(@Name() name: string, @InjectPrincipal() caller: Principal): Promise<object> {
      return this.resource.answer(await this.resource.reset(name, caller));
    }
  }

  return { all: DefinitionsController, one: DefinitionController };
}
