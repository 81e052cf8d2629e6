import { Module, type DynamicModule, type InjectionToken, type Type } from '@nestjs/common';
import {
  MODULE_METADATA,
  PARAMTYPES_METADATA,
  SELF_DECLARED_DEPS_METADATA,
} from '@nestjs/common/constants.js';
import { WriteModule, writeSettings } from '#writing';
import type { GatewayApplicationContext } from './gateway-application-context.js';

/**
 * Root module of one HTTP port. A Nest application listens on one port, so each port of the gateway is a Nest
 * application of its own. The controllers of both ports get their dependencies from the single `GatewayApplicationContext`, so limits and
 * caches apply to both ports together.
 */
@Module({})
export class HttpPortModule {
  static of(gateway: GatewayApplicationContext, resources: readonly Type[]): DynamicModule {
    const controllers = resources.flatMap(
      (resource) => Reflect.getMetadata(MODULE_METADATA.CONTROLLERS, resource) as Type[],
    );
    const { producer, definitions, topics, verdicts, config } = gateway.adapters;
    const tokens = new Set(controllers.flatMap(dependenciesOf));
    return {
      module: HttpPortModule,
      imports: [WriteModule.with({ producer, definitions, topics, verdicts, ...writeSettings(config) })],
      controllers,
      providers: [...tokens].map((token) => ({ provide: token, useValue: gateway.get<unknown>(token) })),
    };
  }
}

/** Returns the injection tokens of a class's constructor: the token of `@Inject()`, else the type of the parameter. */
function dependenciesOf(type: Type): InjectionToken[] {
  const types = (Reflect.getMetadata(PARAMTYPES_METADATA, type) ?? []) as InjectionToken[];
  const named = (Reflect.getMetadata(SELF_DECLARED_DEPS_METADATA, type) ?? []) as {
    index: number;
    param: InjectionToken;
  }[];
  return types.map((token, index) => named.find((one) => one.index === index)?.param ?? token);
}
