/** Ports, folder and password of the embedded Kafka broker, from which its properties file is written. */
interface BrokerSettings {
  dataDir: string;
  port: number;
  controllerPort: number;
  /** The port that the broker advertises to clients; differs from `port` behind a proxy. */
  advertisedPort: number;
  /** The password of clients and the controller (SASL/PLAIN); if undefined, no authentication is required. */
  password?: string | undefined;
  /** Additional Kafka settings, which override the others. */
  more?: Record<string, string | number> | undefined;
}

/** The id of a broker that is alone. */
export const defaultNodeId = 1;

/** The user name of the broker's clients, if it requires authentication. */
export const kafkaUser = 'tributary';

/**
 * Returns the settings of a single broker for development: small, quick to start, and as durable as Kafka's defaults.
 */
export function serverProperties(settings: BrokerSettings): string {
  const { dataDir, port, controllerPort, advertisedPort, password, more } = settings;
  const protocol = password === undefined ? 'PLAINTEXT' : 'SASL_PLAINTEXT';
  const properties: Record<string, string | number> = {
    'process.roles': 'broker,controller',
    'node.id': defaultNodeId,
    'controller.quorum.voters': `${defaultNodeId}@127.0.0.1:${controllerPort}`,
    listeners: `${protocol}://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': `${protocol}://127.0.0.1:${advertisedPort}`,
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': `${protocol}:${protocol},CONTROLLER:${protocol}`,
    'security.inter.broker.protocol': protocol,
    ...(password !== undefined && saslPlain(password)),
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
    // Records have up to 2 MiB each, and a batch has room for several.
    'message.max.bytes': 16 << 20,
    // Bounds the memory that the broker allocates when it knows the length of a request.
    'socket.request.max.bytes': 32 << 20,
    // A development group is small and restarts often, so the first rebalance does not wait for more members.
    'group.initial.rebalance.delay.ms': 0,
    'group.min.session.timeout.ms': 1000,
    // A killed broker may register again only when its old session has expired.
    'broker.session.timeout.ms': 3000,
    'broker.heartbeat.interval.ms': 500,
    // The default writes a record to the metadata log twice a second, even while nothing changes.
    'metadata.max.idle.interval.ms': 5000,
    // A laptop that is not used for weeks keeps its events and its consumers' offsets.
    'log.retention.ms': -1,
    'offsets.retention.minutes': 5_256_000,
    'log.segment.bytes': 64 << 20,
    // Each partition maps two index files of this size: enough for such a segment, instead of 10 MB.
    'log.index.size.max.bytes': 256 << 10,
    'file.delete.delay.ms': 1000,
    // The default of 128 MB would be a quarter of the heap.
    'log.cleaner.dedupe.buffer.size': 8 << 20,
    'num.io.threads': 4,
    ...more,
  };
  return text(properties);
}

/**
 * Returns the settings for SASL/PLAIN: each listener requires the password, also between the broker and its
 * controller.
 */
function saslPlain(password: string): Record<string, string> {
  const login = `${plainLogin(password)} user_${kafkaUser}="${password}";`;
  return {
    'sasl.enabled.mechanisms': 'PLAIN',
    'sasl.mechanism.inter.broker.protocol': 'PLAIN',
    'sasl.mechanism.controller.protocol': 'PLAIN',
    'listener.name.sasl_plaintext.plain.sasl.jaas.config': login,
    'listener.name.controller.plain.sasl.jaas.config': login,
  };
}

/** Returns the settings for Kafka's own tools (`--command-config`). */
export function clientProperties(password: string): string {
  return text({
    'security.protocol': 'SASL_PLAINTEXT',
    'sasl.mechanism': 'PLAIN',
    'sasl.jaas.config': `${plainLogin(password)};`,
  });
}

function plainLogin(password: string): string {
  const module = 'org.apache.kafka.common.security.plain.PlainLoginModule';
  return `${module} required username="${kafkaUser}" password="${password}"`;
}

function text(properties: Record<string, string | number>): string {
  const lines = Object.entries(properties).map(([name, value]) => `${name}=${value}\n`);
  return lines.join('');
}
