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
import { TcpProxy } from './tcp-proxy.js';

/**
 * A Kafka broker and a ClickHouse server for a single spec, each behind a proxy. The spec can kill, pause, disconnect
 * and restart the engines on the same data and ports.
 */
export class PrivateKafkaAndClickHouse {
  private constructor(
    { folder, password }: { folder: string; password: string },
    private readonly ports: { kafka: number; clickhouse: number },
    proxies: [TcpProxy, TcpProxy],
  ) {
    [this.folder, this.clickhousePassword] = [folder, password];
    [this.kafkaProxy, this.clickhouseProxy] = proxies;
  }

  private readonly folder: string;
  /** The password of the ClickHouse user `tributary`. */
  readonly clickhousePassword: string;
  /** The proxy between the apps and Kafka. */
  readonly kafkaProxy: TcpProxy;
  /** The proxy between the apps and ClickHouse. */
  readonly clickhouseProxy: TcpProxy;
  private kafka: RunningKafka | undefined;
  private clickhouse: RunningClickHouse | undefined;

  /** Chooses ports and starts the proxies, but not the engines. */
  static async prepare(): Promise<PrivateKafkaAndClickHouse> {
    const folder = await mkdtemp(join(tmpdir(), 'tributary-engines-'));
    const ports = { kafka: await freePort(), clickhouse: await freePort() };
    const proxies = await Promise.all([
      TcpProxy.start({ port: ports.kafka }),
      TcpProxy.start({ port: ports.clickhouse }),
    ]);
    const { password } = await clickHousePasswords(join(folder, 'clickhouse'));
    return new PrivateKafkaAndClickHouse({ folder, password }, ports, proxies);
  }

  static async start(): Promise<PrivateKafkaAndClickHouse> {
    const engines = await PrivateKafkaAndClickHouse.prepare();
    try {
      await Promise.all([engines.startKafka(), engines.startClickHouse()]);
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
    const server = { clickhouseUrl: `http://127.0.0.1:${this.ports.clickhouse}`, clickhousePassword };
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
      port: this.ports.kafka,
      // The broker advertises the port of the proxy, so every connection of a Kafka client goes through the proxy.
      advertisedPort: this.kafkaProxy.port,
    });
  }

  async startClickHouse(): Promise<void> {
    this.clickhouse = await startClickHouse({
      dataDir: join(this.folder, 'clickhouse'),
      port: this.ports.clickhouse,
    });
  }

  /** Resolves when the Kafka broker ends by itself. */
  async kafkaEnded(): Promise<void> {
    await this.kafka?.ended;
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
    await rm(this.folder, { recursive: true, force: true });
  }
}
