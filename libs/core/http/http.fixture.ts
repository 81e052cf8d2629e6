import { Body as RawBody, Controller, Delete, Get, Module, Param, Post, Req } from '@nestjs/common';
import { Writable } from 'node:stream';
import { Type } from 'class-transformer';
import { IsArray, IsIn, IsInt, IsOptional, IsString, Max, Min, ValidateNested } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { AppConfig, FromText, ProblemError, type ProblemCode } from '#api';
import { limits } from '#event';
import { createLogger } from '#telemetry';
import { createContext, type ProcessContext } from './server/process-context.js';
import { createHttpApp, startHttpApp, type HttpApp, type HttpAppOptions } from './server/http-app.js';
import { Body, Query } from './handlers/decorators.js';
import { Repeatable } from './handlers/parse-input.js';
import { bodyOf } from './body/read-body.js';
import { Accepts, AlwaysAnswered, BodyLimit } from './route-config.js';

/** Query parameters of the fixture's list route. */
class PageQuery {
  @FromText('number') @IsInt() @Min(1) @Max(100) limit = 10;
  @IsOptional() @IsIn(['asc', 'desc']) order?: string;
  @IsOptional() @Repeatable() @IsString({ each: true }) tag?: string[];
}

class TextQuery {
  @FromText('number') @IsInt() bytes: number;
}

/** A nested object in the body of the fixture's write route. */
class ThingPart {
  @IsString() name: string;
}

/** Body of the fixture's write routes. */
class Thing {
  @IsString() name: string;
  @IsOptional() @IsArray() @ValidateNested({ each: true }) @Type(() => ThingPart) parts?: ThingPart[];
}

/** Requests of the route `/things/slow` call `arrived` and then wait for `opened`, which a spec sets. */
export const gate = { opened: Promise.resolve(), arrived: (): void => undefined };

@Controller('things')
class ThingsController {
  @Get()
  list(@Query() query: PageQuery): PageQuery {
    return query;
  }

  @Get('text')
  text(@Query() { bytes }: TextQuery): string {
    return 'x'.repeat(bytes);
  }

  @Get(':id')
  one(@Param('id') id: string): object {
    return { id };
  }

  @Post()
  @AlwaysAnswered()
  make(@Body() thing: Thing): Thing {
    return thing;
  }

  @Post('try')
  tryOut(@Body() thing: Thing): Thing {
    return thing;
  }

  @Post('large')
  @AlwaysAnswered()
  makeLarge(): string {
    return 'x'.repeat(16 * 1024 * 1024);
  }

  @Delete(':id')
  fail(@Param('id') id: string): never {
    if (id === 'full') throw new ProblemError('too_many_requests', 'Later.', { retryAfterSeconds: 7 });
    if (id === 'forgotten') throw new ProblemError('forgotten' as ProblemCode, 'password=hunter3');
    throw new Error('password=hunter2');
  }

  @Post('bytes')
  @Accepts('application/json', 'application/x-ndjson')
  @BodyLimit(limits.requestBytes)
  bytes(@Req() request: FastifyRequest): object {
    return { bytes: bodyOf(request).length };
  }

  @Post('slow')
  async slow(@RawBody() _body: Buffer): Promise<object> {
    gate.arrived();
    await gate.opened;
    return { done: true };
  }
}

@Module({ controllers: [ThingsController] })
class ThingsModule {}

/** An HTTP port that `startTestApp` has started, with the lines that it has logged. */
export interface TestApp {
  app: HttpApp;
  context: ProcessContext;
  /** Log lines as objects. */
  lines(): Record<string, unknown>[];
  /** The log as text. */
  logText(): string;
  url: string;
}

/**
 * Starts an HTTP port with a few routes under `/things` and with everything that `libs/core/http` adds to a port, for specs.
 */
export async function startTestApp(
  options: Partial<Omit<HttpAppOptions, 'listen'>> & {
    listen?: boolean;
    seconds?: number;
    allowedHosts?: string[];
  } = {},
): Promise<TestApp> {
  const { listen, seconds, allowedHosts, ...more } = options;
  let text = '';
  const sink = new Writable({ write: (chunk: Buffer, _encoding, done) => ((text += String(chunk)), done()) });
  const logger = createLogger({ name: 'spec', level: 'debug' }, sink);
  const config = Object.assign(new AppConfig(), {
    SHUTDOWN_SECONDS: seconds ?? 5,
    ALLOWED_HOSTS: allowedHosts ?? [],
  });
  const context = createContext({ name: 'spec', config, logger, version: '1.2.3' });
  context.lifecycle.running = true;
  const parts: HttpAppOptions = { context, module: ThingsModule, graceMs: 50, ...more };
  const app = listen
    ? await startHttpApp({ ...parts, listen: { host: '127.0.0.1', port: 0, variable: 'SPEC_PORT' } })
    : await createHttpApp(parts);
  return {
    app,
    context,
    url: 'url' in app ? (app as { url: string }).url : '',
    logText: () => text,
    lines: () =>
      text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}
