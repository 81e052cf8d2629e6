import { hostname } from 'node:os';
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
    const open = (context: ProcessContext): Log => {
      const { name, config, logger, lifecycle } = context;
      const log = openKafkaLog({
        ...kafkaLogOptions(config, name),
        ...instanceOf(context, port),
        ...{ logger, ...(bounds && { bounds }) },
      });
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

/** Maximum number of threads whose former members a process removes from its consumer groups. */
const mostThreads = 64;

/**
 * Returns the `instance` of a process in consumer groups, which its host name and port form, and that of each of its
 * further threads. The main thread removes the members of threads that do not run.
 */
function instanceOf(
  { thread, threads }: ProcessContext,
  port: number | undefined,
): Pick<KafkaLogOptions, 'instance' | 'formerInstances'> {
  // Port 0 means any free port, so it does not identify a process.
  if (!port) return {};
  const name = `${hostname()}:${port}`;
  if (!threads) return { instance: thread === 0 ? name : `${name}/${thread}` };
  const formerInstances = (): string[] =>
    Array.from({ length: mostThreads - threads.running }, (_, i) => `${name}/${threads.running + i}`);
  return { instance: name, formerInstances };
}
