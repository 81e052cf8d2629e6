import { join } from 'node:path';

/** Folder, ports and further settings of a Kafka broker to start. */
export interface KafkaOptions {
  /** Data folder of the broker, created if it does not exist. Only one broker may use it at a time. */
  dataDir: string;
  /** The password of the user `tributary` (SASL/PLAIN); if undefined, no authentication is required. */
  password?: string | undefined;
  /** Default: a free port. */
  port?: number;
  /** The port of the controller's own listener; default: a free port. */
  controllerPort?: number;
  /** Chooses the ports that are not set; default: `freePort`. */
  choosePort?: () => Promise<number>;
  /** The port that the broker advertises to clients; default: `port`. Used with a proxy. */
  advertisedPort?: number;
  /** The maximum heap in MB; default 512. */
  heapMb?: number;
  /** Additional Kafka settings by name, which override those of this broker. */
  properties?: Record<string, string | number>;
  /** The id of the cluster that this broker joins; default: a cluster of its own. */
  clusterId?: string;
  /** Arguments for the tool that formats the data folder, such as `--add-scram`. */
  formatArgs?: string[];
  /**
   * For a broker that runs for a minute: limits the JIT compiler, which halves the processor time of the start, and formats
   * the data folder without Kafka's tool.
   */
  shortLived?: boolean;
  /** Flags for Java, which replace the flags that use the class archive. */
  javaFlags?: string[];
  /** Additional environment variables. */
  env?: Record<string, string>;
  /** The maximum size of a file in bytes: a write beyond it fails, like every write on a full disk. */
  maxFileBytes?: number;
  /** Receives each line that the broker prints: errors, and the message that it has started. */
  onLog?: (line: string) => void;
  /** If aborted during the start, the broker is stopped. */
  signal?: AbortSignal | undefined;
}

/** The options of a broker whose ports are chosen. */
type BrokerOptions = KafkaOptions & Record<'port' | 'controllerPort', number>;

/** The id of a broker that is alone. */
export const defaultNodeId = 1;

/** The user name of the broker's clients, if it requires authentication. */
export const kafkaUser = 'tributary';

/**
 * Returns the settings of a single broker for development: small, quick to start, and as durable as Kafka's defaults.
 */
export function serverProperties(options: BrokerOptions): string {
  const { dataDir, port, controllerPort, advertisedPort = port, password } = options;
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
    'log.dirs': join(dataDir, 'data'),
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
    ...options.properties,
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
