export interface BrokerSettings {
  dataDir: string;
  port: number;
  controllerPort: number;
  /** The port that clients are told; another than `port` where a proxy stands between. */
  advertisedPort: number;
  /** Kafka's own settings, on top of these or in their place. */
  more?: Record<string, string | number>;
}

/** The settings of a single broker for development: small, quick to start, and as safe on disk as Kafka's defaults. */
export function serverProperties(settings: BrokerSettings): string {
  const { dataDir, port, controllerPort, advertisedPort, more } = settings;
  const properties: Record<string, string | number> = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${advertisedPort}`,
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'log.dirs': dataDir,
    'auto.create.topics.enable': 'false',
    'default.replication.factor': 1,
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 4,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'transaction.state.log.num.partitions': 4,
    'share.coordinator.state.topic.replication.factor': 1,
    'share.coordinator.state.topic.min.isr': 1,
    // A batch of records of up to 2 MiB each, and room for several in one.
    'message.max.bytes': 16 << 20,
    // A development group is small and restarts often: nobody is waited for.
    'group.initial.rebalance.delay.ms': 0,
    'group.min.session.timeout.ms': 1000,
    // A broker that was killed may not register again before its old session has run out.
    'broker.session.timeout.ms': 6000,
    'broker.heartbeat.interval.ms': 500,
    // A laptop that is not used for weeks keeps its events and where its consumers were.
    'log.retention.ms': -1,
    'offsets.retention.minutes': 5_256_000,
    'log.segment.bytes': 64 << 20,
    'file.delete.delay.ms': 1000,
    // Its default of 128 MB would be a quarter of the heap.
    'log.cleaner.dedupe.buffer.size': 8 << 20,
    'num.io.threads': 4,
    ...more,
  };
  return `${Object.entries(properties)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')}\n`;
}
