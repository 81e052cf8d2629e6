import type { INestApplicationContext, InjectionToken } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Adapters } from './adapters/adapters.js';
import { GatewayModule } from './gateway.module.js';

/** The services of the process, which both ports share. */
export class Gateway {
  constructor(
    readonly adapters: Adapters,
    private readonly services: INestApplicationContext,
  ) {}

  get<T>(token: InjectionToken<T>): T {
    return this.services.get<T>(token, { strict: false });
  }
}

/** Creates the Nest services over the opened adapters. */
export async function openGateway(adapters: Adapters): Promise<Gateway> {
  const options = { logger: false, abortOnError: false } as const;
  return new Gateway(
    adapters,
    await NestFactory.createApplicationContext(GatewayModule.with(adapters), options),
  );
}
