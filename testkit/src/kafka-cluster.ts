import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startKafka, type RunningKafka } from '#local';
import { PowerLoss, type LostBytes, type PowerLossOptions } from './power/power-loss.js';

interface BrokerNode {
  id: number;
  port: number;
  controllerPort: number;
  running: RunningKafka | undefined;
  power: PowerLoss;
}

const heapMb = 256;

/**
 * A Kafka cluster of three brokers, each also a controller, as in production. Topics have three replicas, and at least
 * two replicas acknowledge a write.
 */
export class KafkaCluster {
  private constructor(
    private readonly folder: string,
    private readonly shared: { clusterId: string; properties: Record<string, string | number> },
    readonly nodes: readonly BrokerNode[],
  ) {}

  /** @param properties Additional Kafka settings of each broker. */
  static async start(properties: Record<string, string | number> = {}): Promise<KafkaCluster> {
    const folder = await mkdtemp(join(tmpdir(), 'tributary-cluster-'));
    const nodes: BrokerNode[] = [];
    for (const id of [1, 2, 3]) {
      const power = await PowerLoss.of(join(folder, `kafka-${id}`));
      nodes.push({ id, port: await freePort(), controllerPort: await freePort(), running: undefined, power });
    }
    const clusterId = randomBytes(16).toString('hex').slice(0, 22);
    const cluster = new KafkaCluster(folder, { clusterId, properties }, nodes);
    try {
      await Promise.all(nodes.map((node) => cluster.startNode(node)));
      await cluster.writeBack();
      for (const { power } of nodes) power.watch();
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  /** Addresses of the brokers as `host:port`, comma-separated. */
  get brokers(): string {
    return this.nodes.map(({ port }) => `127.0.0.1:${port}`).join(',');
  }

  /** Declares that the disks of all brokers have everything now, as after half a minute without writes. */
  async writeBack(): Promise<void> {
    await Promise.all(this.nodes.map(({ power }) => power.writeBack()));
  }

  /** Starts a broker that was stopped or killed, on its existing data. */
  async startNode(node: BrokerNode): Promise<void> {
    const voters = this.nodes.map(({ id, controllerPort }) => `${id}@127.0.0.1:${controllerPort}`);
    node.running = await startKafka({
      dataDir: join(this.folder, `kafka-${node.id}`),
      port: node.port,
      controllerPort: node.controllerPort,
      clusterId: this.shared.clusterId,
      heapMb,
      shortLived: true,
      env: node.power.env,
      properties: {
        'node.id': node.id,
        'controller.quorum.voters': voters.join(','),
        'default.replication.factor': this.nodes.length,
        'offsets.topic.replication.factor': this.nodes.length,
        'transaction.state.log.replication.factor': this.nodes.length,
        'min.insync.replicas': 2,
        // Milliseconds after which the other brokers take over from a silent broker.
        'broker.session.timeout.ms': 4_000,
        ...this.shared.properties,
      },
    });
  }

  async kill(node: BrokerNode): Promise<void> {
    await node.running?.kill('SIGKILL');
    node.running = undefined;
  }

  /** Kills a broker and takes away what it has not synced. */
  async losePower(node: BrokerNode, options: PowerLossOptions): Promise<LostBytes> {
    await this.kill(node);
    return node.power.cut(options);
  }

  /**
   * Kills all brokers at once, takes away what each has not synced, and starts them again. Returns the number of lost bytes.
   */
  async loseAllPower(options: PowerLossOptions): Promise<number> {
    await Promise.all(this.nodes.map((node) => this.kill(node)));
    let lost = 0;
    for (const { power } of this.nodes) lost += (await power.cut(options)).bytes;
    await Promise.all(this.nodes.map((node) => this.startNode(node)));
    return lost;
  }

  /** Freezes a broker: the broker keeps its connections but answers nothing. */
  freeze(node: BrokerNode): void {
    void node.running?.kill('SIGSTOP');
  }

  thaw(node: BrokerNode): void {
    void node.running?.kill('SIGCONT');
  }

  /** Stops a broker gracefully: the leadership of its partitions moves to other brokers first. */
  async stopNode(node: BrokerNode): Promise<void> {
    await node.running?.stop();
    node.running = undefined;
  }

  async stop(): Promise<void> {
    await Promise.allSettled(this.nodes.map((node) => this.kill(node)));
    await Promise.all(this.nodes.map(({ power }) => power.stop()));
    await rm(this.folder, { recursive: true, force: true });
  }
}
