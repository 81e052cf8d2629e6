import { text } from 'node:stream/consumers';
import { AppConfig, ConfigError, loadConfig } from '#api';
import { TopicAndGroupNames } from '#event';
import { DefinitionsImportError, exportDefinitions, importDefinitions } from '#registry';
import { kafkaLogConfig, openKafkaLog } from '#log';

const usage = `Usage: node dist/apps/gateway/src/definitions-file.js export > <file>
       node dist/apps/gateway/src/definitions-file.js import < <file>
It finds Kafka by the same settings as the apps: KAFKA_BROKERS, KAFKA_TOPIC_PREFIX and so on.
`;

/** Exit codes of sysexits.h, as in the apps. */
const [exitUsage, exitConfig] = [64, 78];

/**
 * Exports the definitions (streams, schemas, keys, projections, erasures) to standard output, or imports them from
 * standard input.
 */
async function main([command, ...more]: string[]): Promise<number> {
  if ((command !== 'export' && command !== 'import') || more.length > 0) {
    process.stderr.write(usage);
    return exitUsage;
  }
  const config = loadConfig(AppConfig, process.env);
  const names = new TopicAndGroupNames(config.KAFKA_TOPIC_PREFIX);
  const log = openKafkaLog(kafkaLogConfig(config, 'definitions-file'));
  try {
    if (command === 'export') {
      const lines = await exportDefinitions(log, names);
      await new Promise((resolve) => process.stdout.write(`${lines.join('\n')}\n`, resolve));
      process.stderr.write(`${lines.length - 1} records of ${names.definitions}\n`);
    } else {
      const lines = (await text(process.stdin)).split('\n').filter(Boolean);
      process.stderr.write(`${await importDefinitions(log, names, lines)} records to ${names.definitions}\n`);
    }
    return 0;
  } finally {
    await log.close();
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const expected = error instanceof ConfigError || error instanceof DefinitionsImportError;
  process.stderr.write(`${expected ? error.message : String(error)}\n`);
  process.exitCode = error instanceof ConfigError ? exitConfig : 1;
}
