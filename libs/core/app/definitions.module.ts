import { Module, type DynamicModule } from '@nestjs/common';
import { TopicAndGroupNames } from '#event';
import { untilReachable, type ProcessContext } from '#http';
import type { Log } from '#kafka';
import { openDefinitions, resourceKinds, type Definitions } from '#registry';
import { kafka } from './engines.js';
import { kindsOf, type Feature } from './feature.js';
import { LOG } from './log.module.js';
import { PROCESS } from './process.module.js';

/** Injection token of the `Definitions`. */
export const DEFINITIONS = Symbol('Definitions');

/** Nest module of the definitions: the process reads them from Kafka when it starts. */
@Module({})
export class DefinitionsModule {
  static forRoot(features: readonly Feature[]): DynamicModule {
    const kinds = [...resourceKinds, ...kindsOf(features)];
    const open = (context: ProcessContext, log: Log, names: TopicAndGroupNames): Definitions => {
      const defaults = { partitions: context.config.STREAM_PARTITIONS };
      const definitions = openDefinitions({ log, names, defaults, kinds });
      context.lifecycle.onStart(() => untilReachable(context, kafka, () => definitions.start()));
      context.lifecycle.onStop('definitions', () => definitions.close());
      return definitions;
    };
    return {
      module: DefinitionsModule,
      global: true,
      providers: [{ provide: DEFINITIONS, inject: [PROCESS, LOG, TopicAndGroupNames], useFactory: open }],
      exports: [DEFINITIONS],
    };
  }
}
