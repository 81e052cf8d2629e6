import type { InjectionToken, ModuleMetadata } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { CreateNest } from '#http';

/** Returns a `create` of `HttpAppOptions` that replaces providers, for specs. The factories of these do not run. */
export function createNestWith(values: readonly (readonly [InjectionToken, unknown])[]): CreateNest {
  return async (module, adapter, options) => {
    const imports = [module] as ModuleMetadata['imports'];
    const builder = Test.createTestingModule({ imports });
    for (const [token, value] of values) builder.overrideProvider(token).useValue(value);
    const compiled = await builder.compile();
    return compiled.createNestApplication<NestFastifyApplication>(adapter as never, options);
  };
}
