import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { AppConfig, ConfigError, kafkaLogOptions, loadConfig } from '#api';
import { TopicAndGroupNames } from '#event';
import { LogUnavailableError, UnknownTopicError, openKafkaLog, type Log } from '#kafka';
import { addToFolder } from './backup-folder.js';
import { DefinitionsBackupError, exportDefinitions, importDefinitions } from './definitions-backup.js';
import { replaceFile } from './replace-file.js';

const usage = `Usage: node dist/apps/gateway/src/definitions-file.js export [--file <file> | --folder <folder> [--keep <number>]]
       node dist/apps/gateway/src/definitions-file.js import [--file <file>] [--replace]
  --file     the backup (default: standard output or standard input); an existing file is replaced only by a complete one
  --folder   adds a file with the time in its name to this folder, which exists already
  --keep     removes all files of the folder but the newest ones (default: 30)
  --replace  deletes the definitions of Kafka before the import
It finds Kafka by the same settings as the apps: KAFKA_BROKERS, KAFKA_SASL_MECHANISM, KAFKA_TOPIC_PREFIX and so on.
`;

/** Exit codes of sysexits.h, as in the apps. */
const [exitUsage, exitConfig] = [64, 78];

/** Returns the arguments; undefined if they are not valid. */
function readArguments(args: string[]) {
  const options = {
    file: { type: 'string' },
    folder: { type: 'string' },
    keep: { type: 'string' },
    replace: { type: 'boolean', default: false },
  } as const;
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const [command, ...more] = positionals;
    if ((command !== 'export' && command !== 'import') || more.length > 0 || values.file === '')
      return undefined;
    const { file, folder, keep, replace } = values;
    if (command === 'export' ? replace : folder !== undefined) return undefined;
    if (folder === '' || (folder !== undefined && file !== undefined)) return undefined;
    if (keep !== undefined && (folder === undefined || !/^[1-9]\d{0,5}$/.test(keep))) return undefined;
    return { command, file, folder, keep: Number(keep ?? 30), replace } as const;
  } catch {
    // An unknown option.
    return undefined;
  }
}

/** Exports the definitions of every kind, or imports them. */
async function main(args: string[]): Promise<number> {
  const given = readArguments(args);
  if (!given) {
    process.stderr.write(usage);
    return exitUsage;
  }
  const config = loadConfig(AppConfig, process.env);
  const names = new TopicAndGroupNames(config.KAFKA_TOPIC_PREFIX);
  const { command, file, folder, keep, replace } = given;
  // The input is complete before the first request to Kafka.
  const lines = command === 'import' ? (await readBackup(file)).split('\n').filter(Boolean) : [];
  const log = openKafkaLog(kafkaLogOptions(config, 'definitions-file'));
  try {
    if (command === 'import') {
      const count = await importDefinitions(log, names, { lines, replace });
      process.stderr.write(`${count} records to ${names.definitions}\n`);
    } else await exportTo({ file, folder, keep }, log, names);
    return 0;
  } catch (error) {
    throw advised(error, config);
  } finally {
    await log.close();
  }
}

/** Where an export goes: a file, a folder with `keep` files, or standard output. */
interface Target {
  file: string | undefined;
  folder: string | undefined;
  keep: number;
}

async function exportTo({ file, folder, keep }: Target, log: Log, names: TopicAndGroupNames): Promise<void> {
  const lines = await exportDefinitions(log, names, (key, reason) => {
    process.stderr.write(`Left out, because no process can read it: ${JSON.stringify(key)} (${reason})\n`);
  });
  const backup = `${lines.join('\n')}\n`;
  if (folder !== undefined) process.stderr.write(`${await addToFolder(folder, { backup, keep })}\n`);
  else if (file === undefined)
    await new Promise<void>((resolve, reject) => {
      process.stdout.once('error', reject);
      process.stdout.write(backup, (error) => (error ? reject(error) : resolve()));
    });
  else await replaceFile(file, backup);
  process.stderr.write(`${lines.length - 1} records of ${names.definitions}\n`);
}

/** Resolves with the text without a byte-order mark, which some editors write. */
async function readBackup(file: string | undefined): Promise<string> {
  const backup = file === undefined ? await text(process.stdin) : await readFile(file, 'utf8');
  return backup.replace(/^\uFEFF/, '');
}

/** Returns the error with a message that says what to check. */
function advised(error: unknown, { KAFKA_BROKERS: brokers, KAFKA_SASL_MECHANISM: sasl }: AppConfig): unknown {
  if (error instanceof UnknownTopicError)
    return new Error(`${error.message} at ${brokers.join()}. Is KAFKA_TOPIC_PREFIX that of the apps?`);
  if (!(error instanceof LogUnavailableError)) return error;
  const settings = sasl === undefined ? ' Does it require KAFKA_SASL_MECHANISM or KAFKA_TLS?' : '';
  return new Error(
    `Kafka at ${brokers.join()} does not answer: ${error.message}. Is it running, and are the settings those of the apps?${settings}`,
  );
}

/**
 * Runs the program for backups with the arguments and settings of this process, prints its result or error, and exits: 64
 * for wrong arguments, 78 for wrong settings, 1 for other errors.
 */
export async function runBackupProgram(): Promise<never> {
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    const expected = error instanceof ConfigError || error instanceof DefinitionsBackupError;
    process.stderr.write(`${expected ? error.message : String(error)}\n`);
    process.exitCode = error instanceof ConfigError ? exitConfig : 1;
  }
  // A connection that is still being opened does not keep the process.
  process.exit();
}
