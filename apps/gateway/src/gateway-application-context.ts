import type { INestApplicationContext, InjectionToken } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { SharedServices } from './shared-services/shared-services.js';
import { GatewayModule } from './gateway.module.js';

/**
 * Nest application context with all services of a gateway process, which both HTTP ports share. The context of the
 * shared services serves no requests itself.
 */
export class GatewayApplicationContext {
  constructor(
    readonly adapters: SharedServices,
    private readonly services: INestApplicationContext,
  ) {}

  get<T>(token: InjectionToken<T>): T {
    return this.services.get<T>(token, { strict: false });
  }
}

/** Creates all Nest services of the process once, with the already opened Kafka log, stores and definitions. */
export async function openGateway(adapters: SharedServices): Promise<GatewayApplicationContext> {
  const options = { logger: false, abortOnError: false } as const;
  return new GatewayApplicationContext(
    adapters,
    await NestFactory.createApplicationContext(GatewayModule.with(adapters), options),
  );
}
