import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  freePort,
  startClickHouse,
  startKafka,
  type KafkaOptions,
  type RunningClickHouse,
  type RunningKafka,
} from '#local';
import { TcpProxy } from './tcp-proxy.js';

/**
 * Kafka and ClickHouse of one spec's own, each behind a proxy, to be killed, paused, cut off and started again on the
 * same data and ports.
 */
export class PrivateEngines {
  private constructor(
    private readonly folder: string,
    private readonly ports: { kafka: number; clickhouse: number },
    proxies: [TcpProxy, TcpProxy],
  ) {
    [this.kafkaProxy, this.clickhouseProxy] = proxies;
  }

  /** What lies between the apps and Kafka. */
  readonly kafkaProxy: TcpProxy;
  /** What lies between the apps and ClickHouse. */
  readonly clickhouseProxy: TcpProxy;
  private kafka: RunningKafka | undefined;
  private clickhouse: RunningClickHouse | undefined;

  /** Chooses ports and starts the proxies, not the engines. */
  static async prepare(): Promise<PrivateEngines> {
    const folder = await mkdtemp(join(tmpdir(), 'tributary-engines-'));
    const ports = { kafka: await freePort(), clickhouse: await freePort() };
    const proxies = await Promise.all([
      TcpProxy.start({ port: ports.kafka }),
      TcpProxy.start({ port: ports.clickhouse }),
    ]);
    return new PrivateEngines(folder, ports, proxies);
  }

  static async start(): Promise<PrivateEngines> {
    const engines = await PrivateEngines.prepare();
    try {
      await Promise.all([engines.startKafka(), engines.startClickHouse()]);
      return engines;
    } catch (error) {
      await engines.stop();
      throw error;
    }
  }

  /** `host:port` of the proxy before Kafka. */
  get brokers(): string {
    return `127.0.0.1:${this.kafkaProxy.port}`;
  }

  /** URL of the proxy before ClickHouse. */
  get clickhouseUrl(): string {
    return `http://127.0.0.1:${this.clickhouseProxy.port}`;
  }

  /** Past the proxy, for the test itself. */
  get directClickhouseUrl(): string {
    return `http://127.0.0.1:${this.ports.clickhouse}`;
  }

  /** On the data there is; `more` holds for this start. */
  async startKafka(more: Partial<KafkaOptions> = {}): Promise<void> {
    this.kafka = await startKafka({
      shortLived: true,
      ...more,
      dataDir: join(this.folder, 'kafka'),
      port: this.ports.kafka,
      // What the broker tells its clients: every connection of theirs goes through the proxy.
      advertisedPort: this.kafkaProxy.port,
    });
  }

  async startClickHouse(): Promise<void> {
    this.clickhouse = await startClickHouse({
      dataDir: join(this.folder, 'clickhouse'),
      port: this.ports.clickhouse,
    });
  }

  /** Resolves when the broker ends by itself. */
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

  /** Ends every fault: engines run, and what lies between passes everything through. */
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
