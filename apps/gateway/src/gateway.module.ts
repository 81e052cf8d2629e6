import { Module, type DynamicModule } from '@nestjs/common';
import {
  DefinitionsModule,
  LogModule,
  modulesOf,
  ProcessModule,
  ProducerModule,
  writeModulesOf,
  type Feature,
} from '#app';
import type { HttpAnswerMemoryBudget, ProcessContext } from '#http';
import { WriteModule } from '#writing';
import { GatewayKitModule, StoresModule } from '#gateway-kit';
import type { GatewayConfig } from './gateway-config.js';

/** What the gateway is made of, besides its context. */
export interface GatewayOptions {
  /** Budget of the bytes of answers in memory, for both ports. */
  answers: HttpAnswerMemoryBudget;
  features: readonly Feature[];
}

/** Root module of the gateway: the routes of both ports, and their services, which exist once. */
@Module({})
export class GatewayModule {
  static with(context: ProcessContext<GatewayConfig>, { answers, features }: GatewayOptions): DynamicModule {
    return {
      module: GatewayModule,
      imports: [
        ProcessModule.with(context),
        LogModule.forRoot(),
        ProducerModule,
        DefinitionsModule.forRoot(features),
        StoresModule.with(answers),
        GatewayKitModule,
        ...modulesOf(features, 'gateway'),
        WriteModule,
        ...writeModulesOf(features, context.config),
      ],
    };
  }
}
