import { Global, Module } from '@nestjs/common';
import { TopicAndGroupNames } from '#event';
import { untilReachable, type ProcessContext } from '#http';
import type { Log } from '#kafka';
import { openDefinitions, resourceKinds, type Definitions } from '#registry';
import { kafka } from './engines.js';
import { LOG } from './log.module.js';
import { PROCESS } from './process.module.js';

/** Injection token of the `Definitions`. */
export const DEFINITIONS = Symbol('Definitions');

/** Nest module of the definitions: the process reads them from Kafka when it starts. */
@Global()
@Module({
  providers: [
    {
      provide: DEFINITIONS,
      inject: [PROCESS, LOG, TopicAndGroupNames],
      useFactory: (context: ProcessContext, log: Log, names: TopicAndGroupNames): Definitions => {
        const defaults = { partitions: context.config.STREAM_PARTITIONS };
        const definitions = openDefinitions({ log, names, defaults, kinds: resourceKinds });
        context.lifecycle.onStart(() => untilReachable(context, kafka, () => definitions.start()));
        context.lifecycle.onStop('definitions', () => definitions.close());
        return definitions;
      },
    },
  ],
  exports: [DEFINITIONS],
})
export class DefinitionsModule {}
