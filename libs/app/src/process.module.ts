import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { AppConfig } from '#api';
import { TopicAndGroupNames } from '#event';
import type { ProcessContext } from '#http';

/** Injection token of the `ProcessContext`: configuration, logger, health, lifecycle and tracing of the process. */
export const PROCESS = Symbol('ProcessContext');
/** Injection token of the logger of the process. */
export const LOGGER = Symbol('Logger');

/** Nest module of what every process has: its context, its logger, its configuration, and the names of its topics. */
@Module({})
export class ProcessModule {
  static with(context: ProcessContext): DynamicModule {
    const { config, logger } = context;
    const topics = new TopicAndGroupNames(config.KAFKA_TOPIC_PREFIX);
    const providers = [
      { provide: PROCESS, useValue: context },
      { provide: LOGGER, useValue: logger },
      { provide: AppConfig, useValue: config },
      { provide: config.constructor as Type, useValue: config },
      { provide: TopicAndGroupNames, useValue: topics },
    ];
    return {
      module: ProcessModule,
      global: true,
      providers,
      exports: providers.map(({ provide }) => provide),
    };
  }
}
