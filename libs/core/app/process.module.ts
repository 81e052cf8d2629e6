import { Module, type DynamicModule } from '@nestjs/common';
import { AppConfig, settingsClassesOf } from '#api';
import { TopicAndGroupNames } from '#event';
import type { ProcessContext } from '#http';

/** Injection token of the `ProcessContext`: configuration, logger, health, lifecycle and tracing of the process. */
export const PROCESS = Symbol('ProcessContext');
/** Injection token of the logger of the process. */
export const LOGGER = Symbol('Logger');

/**
 * Nest module of what every process has: its context, its logger, the names of its topics, and its configuration, under
 * each class of settings that it is composed of.
 */
@Module({})
export class ProcessModule {
  static with(context: ProcessContext): DynamicModule {
    const { config, logger } = context;
    const type = config.constructor as typeof AppConfig;
    const settings = new Set([AppConfig, type, ...settingsClassesOf(type)]);
    const topics = new TopicAndGroupNames(config.KAFKA_TOPIC_PREFIX);
    const providers = [
      { provide: PROCESS, useValue: context },
      { provide: LOGGER, useValue: logger },
      ...[...settings].map((provide) => ({ provide, useValue: config })),
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
