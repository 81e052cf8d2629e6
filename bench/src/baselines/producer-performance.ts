import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Parses the last line of ProducerPerformance: `1000000 records sent, 440000.0 records/sec (117.4 MB/sec), …`. */
export function parseRecordsPerSecond(output: string): number {
  const found = [...output.matchAll(/(\d+) records sent, ([\d.]+) records\/sec/g)].at(-1)?.[2];
  if (found === undefined) throw new Error(`ProducerPerformance printed no rate: ${output}`);
  return Number(found);
}

/** Fetches Kafka's tools with Maven into the folder, once. */
export async function installKafkaTools(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  const args = ['-q', '-B', '-f', 'bench/kafka/pom.xml', 'dependency:copy-dependencies'];
  await run('mvn', [...args, `-DoutputDirectory=${folder}`], { timeout: 600_000 });
}

/** Measures Kafka's own producer with the same events, `acks=all` and idempotent: the limit of the log. */
export async function producerPerformance(options: {
  toolsFolder: string;
  brokers: string[];
  topic: string;
  payloadFile: string;
  events: number;
}): Promise<number> {
  const { stdout } = await run(
    'java',
    [
      '-cp',
      `${options.toolsFolder}/*`,
      'org.apache.kafka.tools.ProducerPerformance',
      ...['--topic', options.topic],
      ...['--num-records', String(options.events)],
      ...['--throughput', '-1'],
      ...['--payload-file', options.payloadFile],
      '--producer-props',
      `bootstrap.servers=${options.brokers.join(',')}`,
      'acks=all',
      'enable.idempotence=true',
      'linger.ms=5',
      'batch.size=131072',
    ],
    { timeout: 600_000, maxBuffer: 16 * 1024 * 1024 },
  );
  return parseRecordsPerSecond(stdout);
}
