import { Global, Module } from '@nestjs/common';
import { untilReachable, type ProcessContext } from '#http';
import type { Log, Producer } from '#kafka';
import { kafka } from './engines.js';
import { LateBoundProducer } from './late-bound-producer.js';
import { LOG } from './log.module.js';
import { PROCESS } from './process.module.js';

/**
 * Injection token of the `Producer`. Its `append` rejects with LogUnavailableError until Kafka has been reached at the
 * start.
 */
export const PRODUCER = Symbol('Producer');

/** Nest module of the producer of the process, which connects when the process starts. */
@Global()
@Module({
  providers: [
    {
      provide: PRODUCER,
      inject: [PROCESS, LOG],
      useFactory: (context: ProcessContext, log: Log): Producer => {
        const producer = new LateBoundProducer();
        context.lifecycle.onStart(async () =>
          producer.use(await untilReachable(context, kafka, () => log.producer())),
        );
        context.lifecycle.onStop('producer', () => producer.close());
        return producer;
      },
    },
  ],
  exports: [PRODUCER],
})
export class ProducerModule {}
