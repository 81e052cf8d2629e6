import { join } from 'node:path';
import { folderApiKey } from './api-key.js';
import { clickHousePasswords } from './clickhouse/start.js';
import { FolderInUseError, lockFolder } from './folder-lock.js';
import { root } from './kafka/jars.js';
import { kafkaPassword } from './kafka/start.js';
import { ProcessListFile } from './orphans.js';
import { checkBrokers, checkClickHouse, checkFolder, checkPorts, commandBeside } from './preflight.js';
import { localServices, type LocalSecrets, type ServiceName } from './services.js';
import { readSettings, type LocalSettings } from './settings.js';
import { summary } from './summary.js';
import { ProcessSupervisor } from './supervisor.js';

/** Environment of the local system, and how to report its start to the user. */
interface LocalSystemOptions {
  env: NodeJS.ProcessEnv;
  /** Starts Kafka and ClickHouse, but no app. */
  enginesOnly?: boolean;
  say: (line: string) => void;
  /** Runs `work` as a step of the start, and prints the name of the step and its duration. */
  step: <T>(name: string, work: () => Promise<T>) => Promise<T>;
}

const apps: ServiceName[] = ['ingest', 'materializer', 'processor', 'gateway'];

/**
 * Locks the data folder for this process. Starts no process.
 * @throws an Error with a message for the user if the folder is in use or a setting is invalid.
 */
export async function openLocalSystem(options: LocalSystemOptions): Promise<LocalProcesses> {
  const settings = readSettings(options.env, root);
  await checkFolder(settings.dataDir);
  return new LocalProcesses(options, settings, await lock(settings));
}

async function lock(settings: LocalSettings): Promise<() => Promise<void>> {
  try {
    return await lockFolder(settings.dataDir);
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw error;
    throw new Error(
      `${error.message}, which is another \`npm start\`. Stop that one, or start a second one beside it, with another folder and other ports:\n  ${await commandBeside(settings)}`,
      { cause: error },
    );
  }
}

/** All processes of `npm start`: Kafka, ClickHouse and the apps. */
export class LocalProcesses {
  private readonly supervisor: ProcessSupervisor;
  private readonly record: ProcessListFile;
  private finish!: (code: number) => void;
  /** Resolves with the exit code when all processes have ended. */
  readonly ended = new Promise<number>((resolve) => (this.finish = resolve));
  private ending: Promise<void> | undefined;
  private stops = 0;
  private running = false;

  constructor(
    private readonly options: LocalSystemOptions,
    private readonly settings: LocalSettings,
    private readonly unlock: () => Promise<void>,
  ) {
    this.record = new ProcessListFile(settings.dataDir);
    this.supervisor = new ProcessSupervisor({
      say: options.say,
      changed: (pids) => void this.record.write(pids),
      giveUp: (reason) => {
        options.say(`${reason}: all processes are stopped. The logs are in ${settings.dataDir}/logs`);
        void this.end(1);
      },
    });
  }

  /**
   * Starts everything. Resolves true when the system runs, false if it was stopped meanwhile.
   * @throws an Error with a message for the user if the start fails; all processes are stopped then.
   */
  async start(): Promise<boolean> {
    try {
      return await Promise.race([this.startAll().then(() => true), this.ended.then(() => false)]);
    } catch (error) {
      // A process that is stopped during its start fails to start.
      const stopped = this.ending !== undefined;
      await this.end(1);
      if (stopped) return false;
      throw error;
    }
  }

  private async startAll(): Promise<void> {
    const { options, settings } = this;
    const { step } = options;
    if ((await this.record.remaining()).length > 0) {
      await step('Stop processes of an earlier start', () => this.record.endRemaining());
    }
    await checkPorts(settings);
    const { dataDir, brokers, clickhouseUrl } = settings;
    const secrets: LocalSecrets = {
      apiKey: await folderApiKey(dataDir),
      kafkaPassword: brokers ? undefined : await kafkaPassword(join(dataDir, 'kafka')),
      clickHouse: clickhouseUrl ? undefined : await clickHousePasswords(join(dataDir, 'clickhouse')),
    };
    const services = localServices({ settings, secrets, say: options.say, env: options.env });
    const run = (name: ServiceName): Promise<void> => this.supervisor.run(services[name]);
    await Promise.all([
      brokers
        ? step('Connect to Kafka', () => checkBrokers(settings.config))
        : step('Start Kafka', () => run('kafka')),
      clickhouseUrl
        ? step('Connect to ClickHouse', () => checkClickHouse(clickhouseUrl))
        : step('Start ClickHouse', () => run('clickhouse')),
    ]);
    if (!options.enginesOnly)
      await step('Start ingest, materializer, processor and gateway', () => Promise.all(apps.map(run)));
    // A start that is killed from now on leaves the ids of all its processes.
    await this.record.written();
    if (this.ending) return;
    this.running = true;
    options.say(
      options.enginesOnly
        ? '\nKafka and ClickHouse run without the apps. Ctrl-C stops everything in order; the data remains.'
        : summary(settings, secrets.apiKey),
    );
  }

  /** Stops all processes in order, also during the start. A second call kills them at once. */
  stop(): void {
    this.stops++;
    if (this.stops > 1) {
      this.options.say('All processes are killed.');
      void this.supervisor
        .killAll()
        .then(() => this.recordNone())
        .then(() => this.finish(130));
      return;
    }
    this.options.say('\nStopping ... (Ctrl-C again kills all processes)');
    void this.end(this.running ? 0 : 130);
  }

  /** Restarts the apps, but not the engines, with the current content of dist. */
  async restartApps(): Promise<void> {
    await Promise.all(apps.map((name) => this.supervisor.restart(name)));
  }

  /** Stops all processes: first those that write, so that accepted events are still processed, and the engines last. */
  private end(code: number): Promise<void> {
    this.ending ??= this.stopInOrder().then(() => this.finish(code));
    return this.ending;
  }

  private async stopInOrder(): Promise<void> {
    this.supervisor.beginStopping();
    await this.supervisor.stop('ingest', 'gateway');
    await this.supervisor.stop('materializer', 'processor');
    await this.supervisor.stop('clickhouse');
    await this.supervisor.stop('kafka');
    await this.recordNone();
    await this.unlock();
  }

  /** Completes the record, so that the exit of this process leaves no draft of it. */
  private async recordNone(): Promise<void> {
    await this.record.write([]).catch(() => undefined);
  }
}
