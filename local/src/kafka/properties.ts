export interface BrokerSettings {
  dataDir: string;
  port: number;
  controllerPort: number;
  /** The port that clients are told; another than `port` where a proxy stands between. */
  advertisedPort: number;
  /** What clients and the controller prove themselves with (SASL/PLAIN); without one, nobody has to. */
  password?: string | undefined;
  /** Kafka's own settings, on top of these or in their place. */
  more?: Record<string, string | number>;
}

/** Who the broker's clients are, where it asks. */
export const kafkaUser = 'tributary';

/** The settings of a single broker for development: small, quick to start, and as safe on disk as Kafka's defaults. */
export function serverProperties(settings: BrokerSettings): string {
  const { dataDir, port, controllerPort, advertisedPort, password, more } = settings;
  const protocol = password === undefined ? 'PLAINTEXT' : 'SASL_PLAINTEXT';
  const properties: Record<string, string | number> = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
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
    // A batch of records of up to 2 MiB each, and room for several in one.
    'message.max.bytes': 16 << 20,
    // What a request may make the broker allocate as soon as its length is known.
    'socket.request.max.bytes': 32 << 20,
    // A development group is small and restarts often: nobody is waited for.
    'group.initial.rebalance.delay.ms': 0,
    'group.min.session.timeout.ms': 1000,
    // A broker that was killed may not register again before its old session has run out.
    'broker.session.timeout.ms': 3000,
    'broker.heartbeat.interval.ms': 500,
    // A laptop that is not used for weeks keeps its events and where its consumers were.
    'log.retention.ms': -1,
    'offsets.retention.minutes': 5_256_000,
    'log.segment.bytes': 64 << 20,
    // Each partition's two indexes are made that large and mapped: enough for such a segment, instead of 10 MB.
    'log.index.size.max.bytes': 256 << 10,
    'file.delete.delay.ms': 1000,
    // Its default of 128 MB would be a quarter of the heap.
    'log.cleaner.dedupe.buffer.size': 8 << 20,
    'num.io.threads': 4,
    ...more,
  };
  return text(properties);
}

/** Each listener asks for the password; the broker and its controller give it to each other. */
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

/** The settings of Kafka's own tools, to be given as `--command-config`. */
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
  return `${Object.entries(properties)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')}\n`;
}
