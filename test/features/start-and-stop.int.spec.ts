import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import type { AppConfig } from '#api';
import { createContext, createHttpApp, type HttpAppOptions, type ProcessContext } from '#http';
import { createLogger } from '#telemetry';
import { GatewayConfig } from '../../apps/gateway/src/gateway-config.js';
import { gatewayApp } from '../../apps/gateway/src/ports.js';
import { IngestConfig } from '../../apps/ingest/src/ingest-config.js';
import { ingestApp } from '../../apps/ingest/src/start.js';
import { MaterializerConfig } from '../../apps/materializer/src/materializer-config.js';
import { MaterializerModule } from '../../apps/materializer/src/materializer.module.js';
import { features } from '../../apps/processor/src/features.js';
import { ProcessorConfig } from '../../apps/processor/src/processor-config.js';
import { ProcessorModule } from '../../apps/processor/src/processor.module.js';

/** Returns the names of the shutdown steps of an app that was created and never started, in the order in which they run. */
async function stopOrderOf<Config extends AppConfig>(
  type: new () => Config,
  appOf: (context: ProcessContext<Config>) => HttpAppOptions,
): Promise<string[]> {
  let text = '';
  const sink = new Writable({ write: (chunk: Buffer, _encoding, done) => ((text += String(chunk)), done()) });
  const logger = createLogger({ name: 'spec', level: 'debug' }, sink);
  const config = Object.assign(new type(), {
    KAFKA_BROKERS: ['127.0.0.1:1'],
    CLICKHOUSE_URL: 'http://127.0.0.1:1',
  });
  const context = createContext({ name: 'spec', config, logger, version: '1' });
  const app = await createHttpApp(appOf(context));
  await context.lifecycle.stop();
  await app.nest.close();
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { msg: string; step?: string });
  return lines.flatMap(({ msg, step }) => (msg === 'stopped' && step !== undefined ? [step] : []));
}

it('ingest closes what writes before what it writes to', async () => {
  expect(await stopOrderOf(IngestConfig, ingestApp)).toEqual(['verdicts', 'definitions', 'producer', 'log']);
});

it('the gateway closes views, SQL and the producer before the definitions, Kafka and ClickHouse', async () => {
  expect(await stopOrderOf(GatewayConfig, gatewayApp)).toEqual([
    'subscriptions',
    'lag',
    'accepted events',
    'views',
    'sql',
    'files',
    'verdicts',
    'definitions',
    'producer',
    'store',
    'store of live streams',
    'log',
  ]);
});

it('the materializer stops before the definitions, Kafka and ClickHouse', async () => {
  const appOf = (context: ProcessContext<MaterializerConfig>) => ({
    context,
    module: MaterializerModule.with(context),
  });
  expect(await stopOrderOf(MaterializerConfig, appOf)).toEqual([
    'materializer',
    'garbage collection',
    'scrub',
    'late inserts',
    'metrics',
    'flush requests',
    'definitions',
    'log',
    'store',
  ]);
});

it('the processor stops its tasks before webhooks, the producer, the definitions, Kafka and ClickHouse', async () => {
  const appOf = (context: ProcessContext<ProcessorConfig>) => ({
    context,
    module: ProcessorModule.with(context, features),
  });
  expect(await stopOrderOf(ProcessorConfig, appOf)).toEqual([
    'flush requests',
    'tasks',
    'lag',
    'webhooks',
    'verdicts',
    'definitions',
    'producer',
    'log',
    'store',
  ]);
});
