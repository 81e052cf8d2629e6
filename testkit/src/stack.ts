import { randomBytes } from 'node:crypto';
import { TopicAndGroupNames } from '#event';
import { freePort } from '#local';
import { AppProcess, type AppName } from './app-process.js';
import { HttpClient } from './http-client.js';
import { testKey, type TestApiKey } from './test-api-key.js';

/** Engines, number of processes and settings of a `TestSystem`. */
export interface TestSystemOptions {
  /** Addresses of the Kafka brokers as `host:port`, comma-separated. */
  brokers: string;
  clickhouseUrl: string;
  clickhousePassword: string;
  /** Name of the cluster of ClickHouse servers; default: a single server. */
  clickhouseCluster?: string;
  /** The database, and the password of ClickHouse's user for analysts, who may read it. Without them, SQL is off. */
  analysts?: { database: string; password: string };
  /** Number of materializers; default 1. */
  materializers?: number;
  /** Number of processors; default 0, because most specs have no projection. */
  processors?: number;
  /** Additional environment variables for every app. */
  env?: Record<string, string>;
  /** Runs the compiled modules instead of the bundles (`AppProcess`). */
  unbundled?: boolean;
  /** The URL of a file that replaces parts of modules of one app. This app runs its compiled modules. */
  planted?: { app: AppName; file: string };
}

interface SystemPorts {
  core: number;
  query: number;
  ingest: number;
}

/** The topic prefix, database, ports and keys of a running `TestSystem`, with which another process can use it. */
interface SharedSystem {
  suffix: string;
  database: string;
  ports: SystemPorts;
  /** An API key with every scope, and an API key with only the scope `events:read`. */
  keys: readonly [TestApiKey, TestApiKey];
}

/**
 * A whole Tributary system for tests: ingest, materializers, processors and a gateway as real processes, on ports of
 * their own, with their own topic prefix and database. Several test systems can therefore share Kafka and ClickHouse.
 */
export class TestSystem {
  readonly ingest: AppProcess;
  readonly gateway: AppProcess;
  readonly materializers: AppProcess[] = [];
  readonly processors: AppProcess[] = [];
  /** Gateways beside the first one. */
  readonly moreGateways: AppProcess[] = [];
  readonly urls: { core: string; query: string; ingest: string };
  /** An API key with every scope. */
  readonly key: string;
  /** An API key with only the scope `events:read`. */
  readonly readerKey: string;
  /** Addresses of the Kafka brokers and the ClickHouse server, for direct access without the apps. */
  readonly brokers: string;
  readonly clickhouseUrl: string;
  readonly clickhousePassword: string;
  readonly prefix: string;
  readonly database: string;
  readonly topics: TopicAndGroupNames;
  /** HTTP clients of the ports; the client of the query port sends the API key. */
  readonly core: HttpClient;
  readonly query: HttpClient;
  readonly write: HttpClient;
  private readonly env: Record<string, string>;
  private readonly unbundled: boolean;
  private readonly planted: TestSystemOptions['planted'];

  private constructor(
    options: TestSystemOptions,
    private readonly names: SharedSystem,
  ) {
    const { suffix, database, ports } = names;
    const [all, reader] = names.keys;
    this.brokers = options.brokers;
    this.unbundled = options.unbundled ?? false;
    this.planted = options.planted;
    [this.clickhouseUrl, this.clickhousePassword] = [options.clickhouseUrl, options.clickhousePassword];
    [this.key, this.readerKey] = [all.key, reader.key];
    [this.prefix, this.database] = [`test-${suffix}.`, database];
    this.topics = new TopicAndGroupNames(this.prefix);
    this.env = {
      KAFKA_BROKERS: options.brokers,
      KAFKA_TOPIC_PREFIX: this.prefix,
      CLICKHOUSE_URL: options.clickhouseUrl,
      CLICKHOUSE_USER: 'tributary',
      CLICKHOUSE_PASSWORD: options.clickhousePassword,
      CLICKHOUSE_DATABASE: this.database,
      ...(options.clickhouseCluster !== undefined && { CLICKHOUSE_CLUSTER: options.clickhouseCluster }),
      ...(options.analysts && {
        SQL_CLICKHOUSE_USER: 'sql',
        SQL_CLICKHOUSE_PASSWORD: options.analysts.password,
      }),
      STREAM_PARTITIONS: '4',
      API_KEYS: [
        `${all.keyId}:${all.sha256}:events:read+events:write+definitions:read+definitions:write+subscriptions:consume+sql:read+admin`,
        `${reader.keyId}:${reader.sha256}:events:read`,
      ].join(','),
      ...options.env,
    };
    this.urls = { core: local(ports.core), query: local(ports.query), ingest: local(ports.ingest) };
    this.ingest = this.app('ingest', { INGEST_PORT: String(ports.ingest) }, this.urls.ingest);
    const gatewayPorts = { GATEWAY_CORE_PORT: String(ports.core), GATEWAY_QUERY_PORT: String(ports.query) };
    this.gateway = this.app('gateway', gatewayPorts, this.urls.core);
    this.core = new HttpClient(this.urls.core);
    this.query = new HttpClient(this.urls.query, { headers: { authorization: `Bearer ${this.key}` } });
    this.write = new HttpClient(this.urls.ingest);
  }

  /** Chooses ports and names, but starts no process. */
  static async prepare(options: TestSystemOptions): Promise<TestSystem> {
    const [core, query, ingest] = await Promise.all([freePort(), freePort(), freePort()]);
    const suffix = randomBytes(4).toString('hex');
    const stack = new TestSystem(options, {
      suffix,
      database: options.analysts?.database ?? `test_${suffix}`,
      ports: { core, query, ingest },
      keys: [testKey(), testKey()],
    });
    for (let i = 0; i < (options.materializers ?? 1); i++) await stack.addMaterializer();
    for (let i = 0; i < (options.processors ?? 0); i++) await stack.addProcessor();
    return stack;
  }

  /** Starts every app and resolves when all are ready. */
  static async start(options: TestSystemOptions): Promise<TestSystem> {
    const stack = await TestSystem.prepare(options);
    try {
      for (const app of stack.apps) app.launch();
      await Promise.all(stack.apps.map((app) => app.ready()));
      return stack;
    } catch (error) {
      await stack.stop();
      throw error;
    }
  }

  /** Returns a text with which another process can call `attach`. */
  share(): string {
    return JSON.stringify(this.names);
  }

  /**
   * Returns a `TestSystem` whose apps another process runs and has shared. The calling process can use the apps, but
   * cannot start, kill or stop them.
   */
  static attach(shared: string, options: TestSystemOptions): TestSystem {
    return new TestSystem(options, JSON.parse(shared) as SharedSystem);
  }

  get apps(): AppProcess[] {
    return [this.ingest, ...this.materializers, ...this.processors, this.gateway, ...this.moreGateways];
  }

  /** The first materializer of the system. */
  get materializer(): AppProcess {
    const [first] = this.materializers;
    if (!first) throw new Error('This stack has no materializer');
    return first;
  }

  /** Creates one more materializer without starting it. */
  async addMaterializer(): Promise<AppProcess> {
    const port = await freePort();
    const name = `materializer-${this.materializers.length + 1}`;
    const added = this.app('materializer', { MATERIALIZER_PORT: String(port) }, local(port), name);
    this.materializers.push(added);
    return added;
  }

  /** Creates one more processor without starting it. */
  async addProcessor(): Promise<AppProcess> {
    const port = await freePort();
    const name = `processor-${this.processors.length + 1}`;
    const added = this.app('processor', { PROCESSOR_PORT: String(port) }, local(port), name);
    this.processors.push(added);
    return added;
  }

  /** Starts one more gateway. Resolves with it and the URL of its core port. */
  async startGateway(): Promise<{ gateway: AppProcess; url: string }> {
    const [core, query] = await Promise.all([freePort(), freePort()]);
    const env = { GATEWAY_CORE_PORT: String(core), GATEWAY_QUERY_PORT: String(query) };
    const gateway = this.app('gateway', env, local(core), `gateway-${this.moreGateways.length + 2}`);
    this.moreGateways.push(gateway);
    await gateway.launch().ready();
    return { gateway, url: local(core) };
  }

  /** Stops every app, even a paused app. Removes the logs of the apps unless KEEP_TEST_LOGS is set. */
  async stop(): Promise<void> {
    await Promise.all(this.apps.map((app) => app.stop()));
    if (!process.env.KEEP_TEST_LOGS) for (const app of this.apps) app.discardLog();
    await Promise.all([this.core, this.query, this.write].map((client) => client.close()));
  }

  /** Returns the ends of the logs of all apps, for the report of a failed test. */
  logTails(lines = 40): string {
    return this.apps.map((app) => app.logTail(lines)).join('\n');
  }

  // eslint-disable-next-line max-params
  private app(app: AppName, env: Record<string, string>, probeUrl: string, name: string = app): AppProcess {
    const file = this.planted?.app === app ? this.planted.file : undefined;
    const unbundled = this.unbundled || file !== undefined;
    const planting = file === undefined ? undefined : { NODE_OPTIONS: `--import=${file}` };
    return new AppProcess({ app, name, probeUrl, unbundled, env: { ...this.env, ...env, ...planting } });
  }
}

function local(port: number): string {
  return `http://127.0.0.1:${port}`;
}
