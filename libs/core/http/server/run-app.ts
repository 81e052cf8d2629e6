import { ConfigError, describeConfig, loadConfig, type AppConfig } from '#api';
import { addMetricsOfThreads, openTracing, watchEventLoop, type Logger } from '#telemetry';
import { answerMainThread, ownThread, ownUtilization, startAppThread } from './app-thread.js';
import { AppThreads } from './app-threads.js';
import { createContext, type ProcessContext } from './process-context.js';
import { ShutdownWhileWaitingError } from './process-lifecycle.js';
import { buildInfo, certificateExpiry } from '../metrics.js';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { X509Certificate } from 'node:crypto';

/** What `runApp` needs of an app. */
interface AppDefinition<Config extends AppConfig> {
  name: string;
  config: new () => Config;
  /** Starts the app; resolves when it can serve. The HTTP ports open first, so that probes see that it starts. */
  start(context: ProcessContext<Config>): Promise<void>;
  commands?: AppCommand<Config>[];
  /** The URL of the module that calls `runApp`, and the maximum number of threads that run the app; see `AppThreads`. */
  threads?: { entry: string; most: (config: Config) => number };
}

/** A task that a process runs once in place of serving; then the process ends. */
interface AppCommand<Config extends AppConfig> {
  /** The command-line argument that runs the command, such as `--migrate`. */
  argument: string;
  /** Description of the command in the output of `--help`. */
  what: string;
  run(context: ProcessContext<Config>): Promise<void>;
}

/** Exit codes of sysexits.h for an invalid configuration (78) and an unknown argument (64). */
const exitConfig = 78;
const exitUsage = 64;

/**
 * Runs a process from start to end: checks its configuration (`--check-config` prints it and exits), starts the app,
 * and stops it in order on SIGTERM or SIGINT. In a further thread, it runs the app until the main thread stops it. Exit
 * codes: 0 after an orderly stop or a finished command, 64 for an
 * unknown argument, 78 for an invalid configuration, and 1 for any other error or an interrupted command.
 */
export async function runApp<Config extends AppConfig>(app: AppDefinition<Config>): Promise<void> {
  const args = ownThread === 0 ? process.argv.slice(2) : [];
  checkArguments(app, args);
  const config = loadConfigOrExit(app.config);
  if (args.includes('--check-config')) {
    process.stdout.write(`${JSON.stringify(describeConfig(config), null, 2)}\n`);
    process.exit(0);
  }
  const crash = (error: unknown): void => void stopAndExit(context, 1, { error });
  const context = createContext({ name: app.name, config, version: packageVersion(), crash });
  context.health.unready = 'starting';
  const command = app.commands?.find(({ argument }) => args.includes(argument));
  listenForTheEnd(context, command ? 1 : 0);
  context.logger.info({ config: describeConfig(config), version: context.health.version }, 'starting');
  try {
    if (command) {
      await command.run(context);
      return await stopAndExit(context, 0);
    }
    buildInfo.set({ app: app.name, version: context.health.version }, 1);
    exportCertificateMetrics(config, context.logger);
    const tracing = await openTracing({ ...context, version: context.health.version });
    context.tracing = tracing;
    // Tracing stops last, so that spans of the other shutdown steps are exported, too.
    if (tracing) context.lifecycle.onStopLast('tracing', () => tracing.close());
    if (app.threads && ownThread === 0) addThreads(context, app.threads.entry, app.threads.most(config));
    await app.start(context);
    if (context.lifecycle.stopping.aborted) return;
    context.lifecycle.running = true;
    context.health.unready = undefined;
    context.logger.info('started');
    // Watch from here on: loading the app blocks the event loop while no request waits.
    watchEventLoop(context.logger);
    setInterval(() => context.threads?.poll(), 1000).unref();
  } catch (error) {
    if (error instanceof ShutdownWhileWaitingError) return;
    if (error instanceof ConfigError) exitForConfig(error);
    crash(error);
  }
}

function addThreads(context: ProcessContext, entry: string, most: number): void {
  const { health, lifecycle, logger } = context;
  const threads = new AppThreads({
    most,
    start: (thread) => startAppThread(entry, thread, logger),
    utilization: ownUtilization,
    logger,
    onFailure: (error) => context.crash(error),
  });
  context.threads = threads;
  addMetricsOfThreads(() => threads.metrics());
  health.ofThreads = (kind) => threads.checks(kind);
  lifecycle.stopping.addEventListener('abort', () => threads.stop());
  lifecycle.onStopLast('threads', () => threads.ended());
}

/** Exits for `--help` and for an unknown argument: a mistyped `--check-config` must not start the app. */
function checkArguments<Config extends AppConfig>(
  { name, commands = [] }: AppDefinition<Config>,
  args: string[],
): void {
  const known = [
    { argument: '--check-config', what: 'checks the configuration, prints it without secrets, and ends' },
    ...commands,
  ];
  const usage = [
    `Usage: node dist/bundle/${name}.js ${known.map(({ argument }) => `[${argument}]`).join(' ')}`,
    ...known.map(({ argument, what }) => `  ${argument.padEnd(16)}${what}`),
    'The configuration is read from environment variables.',
  ].join('\n');
  if (args.includes('--help')) {
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  }
  const unknown = args.find((arg) => !known.some(({ argument }) => argument === arg));
  if (unknown === undefined) return;
  process.stderr.write(`Unknown argument: ${JSON.stringify(unknown)}\n${usage}\n`);
  process.exit(exitUsage);
}

function loadConfigOrExit<Config extends AppConfig>(type: new () => Config): Config {
  try {
    return loadConfig(type, process.env);
  } catch (error) {
    if (error instanceof ConfigError) exitForConfig(error);
    throw error;
  }
}

function exitForConfig(error: ConfigError): never {
  process.stderr.write(`${error.message}\n`);
  process.exit(exitConfig);
}

/**
 * Stops the process in order on SIGTERM and SIGINT, and exits at once after an uncaught error. @param code Exit code
 * after a signal.
 */
function listenForTheEnd(context: ProcessContext, code: number): void {
  answerMainThread(context.health, () => void stopAndExit(context, code));
  // Ignore repeated signals: a terminal and a parent process may both send one. Further threads get none.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (!context.lifecycle.stopping.aborted) void stopAndExit(context, code, { signal });
    });
  }
  // After an uncaught exception the state of the process is unknown, so it does not stop in order.
  const die = (error: unknown): void => {
    context.logger.fatal({ err: error }, 'uncaught');
    process.exit(1);
  };
  process.on('uncaughtException', die);
  process.on('unhandledRejection', die);
}

async function stopAndExit(
  context: ProcessContext,
  code: number,
  { error, signal }: { error?: unknown; signal?: string } = {},
): Promise<void> {
  if (error !== undefined) context.logger.fatal({ err: error }, 'fatal error, stopping');
  context.logger.info({ signal }, 'stopping');
  context.health.unready = 'stopping';
  await context.lifecycle.stop();
  context.logger.info('stopped');
  process.exit(code);
}

/** Returns the version of the nearest `package.json` above this file; `unknown` if there is none. */
export function packageVersion(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    if (existsSync(file)) return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
    if (folder === dirname(folder)) return 'unknown';
  }
}

const block = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Exports the expiry times of the configured Kafka certificates as metrics. The files are read once at the start, as
 * the Kafka client does, so a replaced file counts from the next start on.
 */
export function exportCertificateMetrics(
  config: Pick<AppConfig, 'KAFKA_TLS' | 'KAFKA_TLS_CA' | 'KAFKA_TLS_CERT'>,
  logger: Pick<Logger, 'warn'>,
): void {
  if (!config.KAFKA_TLS) return;
  const files = { kafka_ca: config.KAFKA_TLS_CA, kafka_client: config.KAFKA_TLS_CERT };
  for (const [certificate, path] of Object.entries(files)) {
    if (!path) continue;
    try {
      certificateExpiry.set({ certificate }, firstExpiry(readFileSync(path, 'utf8')));
    } catch (error) {
      // Only warn: the Kafka client reports whether the certificate works.
      logger.warn({ err: error, certificate }, 'cannot read when this certificate expires');
    }
  }
}

/**
 * Returns the earliest expiry of the certificates in a PEM text, in seconds since 1970. @throws Error when it has none
 */
export function firstExpiry(pem: string): number {
  const expiries = (pem.match(block) ?? []).map((one) => Date.parse(new X509Certificate(one).validTo) / 1000);
  if (expiries.length === 0) throw new Error('the file contains no certificate');
  return Math.min(...expiries);
}
