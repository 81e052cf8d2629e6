import { askClickHouse } from './clickhouse-statement.js';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  clickHousePasswords,
  freePort,
  startClickHouse,
  startKafka,
  type KafkaOptions,
  type RunningClickHouse,
  type RunningKafka,
} from '#local';
import { PowerLoss, type LostBytes, type PowerLossOptions } from './power/power-loss.js';
import { TcpProxy } from './tcp-proxy.js';

/** Options of a Kafka broker and a ClickHouse server for a single spec. */
export interface PrivateEngineOptions {
  /** Whether `losePower` will be called: the engines then record what they sync. Default: false. */
  canLosePower?: boolean;
  /** Additional Kafka settings by name. */
  kafkaProperties?: Record<string, string | number>;
}

/** The machines of one Kafka broker and one ClickHouse server, which can lose power. */
interface EnginePower {
  kafka: PowerLoss;
  clickhouse: PowerLoss;
}

interface PreparedEngines extends Required<Pick<PrivateEngineOptions, 'kafkaProperties'>> {
  folder: string;
  password: string;
  ports: { kafka: number; clickhouse: number };
  proxies: [kafka: TcpProxy, clickhouse: TcpProxy];
  power: EnginePower | undefined;
}

/**
 * A Kafka broker and a ClickHouse server for a single spec, each behind a proxy. The spec can kill, pause, disconnect
 * and restart the engines on the same data and ports.
 */
export class PrivateKafkaAndClickHouse {
  private readonly folder: string;
  /** The password of the ClickHouse user `tributary`. */
  readonly clickhousePassword: string;
  /** The proxy between the apps and Kafka. */
  readonly kafkaProxy: TcpProxy;
  /** The proxy between the apps and ClickHouse. */
  readonly clickhouseProxy: TcpProxy;
  private kafka: RunningKafka | undefined;
  private clickhouse: RunningClickHouse | undefined;

  private constructor(private readonly prepared: PreparedEngines) {
    const { folder, password, proxies } = prepared;
    [this.folder, this.clickhousePassword] = [folder, password];
    [this.kafkaProxy, this.clickhouseProxy] = proxies;
  }

  /** Chooses ports and starts the proxies, but not the engines. */
  static async prepare({
    canLosePower = false,
    kafkaProperties = {},
  }: PrivateEngineOptions = {}): Promise<PrivateKafkaAndClickHouse> {
    const folder = await mkdtemp(join(tmpdir(), 'tributary-engines-'));
    const ports = { kafka: await freePort(), clickhouse: await freePort() };
    const proxies = await Promise.all([
      TcpProxy.start({ port: ports.kafka }),
      TcpProxy.start({ port: ports.clickhouse }),
    ]);
    const { password } = await clickHousePasswords(join(folder, 'clickhouse'));
    const power = canLosePower
      ? {
          kafka: await PowerLoss.of(join(folder, 'kafka')),
          clickhouse: await PowerLoss.of(join(folder, 'clickhouse')),
        }
      : undefined;
    return new PrivateKafkaAndClickHouse({ folder, password, ports, proxies, kafkaProperties, power });
  }

  static async start(options?: PrivateEngineOptions): Promise<PrivateKafkaAndClickHouse> {
    const engines = await PrivateKafkaAndClickHouse.prepare(options);
    try {
      await Promise.all([engines.startKafka(), engines.startClickHouse()]);
      for (const power of Object.values(engines.prepared.power ?? {}) as PowerLoss[]) {
        // The new data folders have been on the disk for a while.
        await power.writeBack();
        power.watch();
      }
      return engines;
    } catch (error) {
      await engines.stop();
      throw error;
    }
  }

  /** Address of the Kafka proxy as `host:port`. */
  get brokers(): string {
    return `127.0.0.1:${this.kafkaProxy.port}`;
  }

  /** URL of the ClickHouse proxy. */
  get clickhouseUrl(): string {
    return `http://127.0.0.1:${this.clickhouseProxy.port}`;
  }

  /**
   * Runs a statement in ClickHouse without the proxy, and returns the text of the answer. @throws if ClickHouse
   * refuses it
   */
  async sql(statement: string): Promise<string> {
    const { clickhousePassword } = this;
    const server = {
      clickhouseUrl: `http://127.0.0.1:${this.prepared.ports.clickhouse}`,
      clickhousePassword,
    };
    const answer = await askClickHouse(server, statement);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`ClickHouse refused ${statement}: ${text}`);
    return text;
  }

  /** Starts Kafka on its existing data. The options in `more` apply only to this start. */
  async startKafka(more: Partial<KafkaOptions> = {}): Promise<void> {
    this.kafka = await startKafka({
      shortLived: true,
      ...more,
      dataDir: join(this.folder, 'kafka'),
      port: this.prepared.ports.kafka,
      // The broker advertises the port of the proxy, so every connection of a Kafka client goes through the proxy.
      advertisedPort: this.kafkaProxy.port,
      properties: { ...this.prepared.kafkaProperties, ...more.properties },
      env: this.prepared.power?.kafka.env ?? {},
    });
  }

  async startClickHouse(): Promise<void> {
    this.clickhouse = await startClickHouse({
      dataDir: join(this.folder, 'clickhouse'),
      port: this.prepared.ports.clickhouse,
      env: this.prepared.power?.clickhouse.env ?? {},
    });
  }

  /** Resolves when the Kafka broker ends by itself. */
  async kafkaEnded(): Promise<void> {
    await this.kafka?.ended;
    this.kafka = undefined;
  }

  /** Folder with a folder for each partition of Kafka. A spec may change the files while Kafka does not run. */
  get partitionsFolder(): string {
    return join(this.folder, 'kafka', 'data');
  }

  /** Stops Kafka in order: it does not check its files at the next start. */
  async stopKafka(): Promise<void> {
    await this.kafka?.stop();
    this.kafka = undefined;
  }

  async killKafka(): Promise<void> {
    await this.kafka?.kill('SIGKILL');
    this.kafka = undefined;
  }

  async killClickHouse(): Promise<void> {
    await this.clickhouse?.kill('SIGKILL');
    this.clickhouse = undefined;
  }

  /** What one engine has synced, if the engines can lose power. */
  powerOf(engine: keyof EnginePower): PowerLoss {
    if (!this.prepared.power) throw new Error('These engines cannot lose power');
    return this.prepared.power[engine];
  }

  /** Kills these engines at once and takes away what they have not synced. `heal` starts them again. */
  async losePower(
    engines: readonly (keyof EnginePower)[],
    options: PowerLossOptions,
  ): Promise<Partial<Record<keyof EnginePower, LostBytes>>> {
    await Promise.all(
      engines.map((engine) => (engine === 'kafka' ? this.killKafka() : this.killClickHouse())),
    );
    const lost: Partial<Record<keyof EnginePower, LostBytes>> = {};
    for (const engine of engines) lost[engine] = await this.powerOf(engine).cut(options);
    return lost;
  }

  /** Ends all faults: the engines run, and the proxies forward all data. */
  async heal(): Promise<void> {
    for (const proxy of [this.kafkaProxy, this.clickhouseProxy]) await proxy.heal();
    this.resumeKafka();
    if (!this.kafka) await this.startKafka();
    if (!this.clickhouse) await this.startClickHouse();
  }

  pauseKafka(): void {
    if (this.kafka) process.kill(this.kafka.pid, 'SIGSTOP');
  }

  resumeKafka(): void {
    if (this.kafka) process.kill(this.kafka.pid, 'SIGCONT');
  }

  async stop(): Promise<void> {
    await Promise.allSettled([this.killKafka(), this.killClickHouse()]);
    await Promise.allSettled([this.kafkaProxy.stop(), this.clickhouseProxy.stop()]);
    await this.prepared.power?.kafka.stop();
    await this.prepared.power?.clickhouse.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}
