import { Module, type DynamicModule } from '@nestjs/common';
import { kafkaLogOptions } from '#api';
import type { ProcessContext } from '#http';
import { openKafkaLog, type KafkaLogOptions, type Log } from '#kafka';
import { PROCESS } from './process.module.js';

/** Injection token of the `Log`: Kafka. Nest needs tokens for interfaces, which do not exist at run time. */
export const LOG = Symbol('Log');

/** Options of the Kafka client that differ between apps. */
interface LogModuleOptions {
  /** Port of a process with consumer groups, which is a part of its name in them. */
  port?: number;
  bounds?: KafkaLogOptions['bounds'];
}

/** Nest module of Kafka. */
@Module({})
export class LogModule {
  static forRoot({ port, bounds }: LogModuleOptions = {}): DynamicModule {
    const open = ({ name, config, logger, lifecycle }: ProcessContext): Log => {
      const log = openKafkaLog({ ...kafkaLogOptions(config, name, port), logger, ...(bounds && { bounds }) });
      lifecycle.onStop('log', () => log.close());
      return log;
    };
    return {
      module: LogModule,
      global: true,
      providers: [{ provide: LOG, inject: [PROCESS], useFactory: open }],
      exports: [LOG],
    };
  }
}
