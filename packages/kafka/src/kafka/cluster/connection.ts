import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { defaultKafkaLogLimits, type KafkaLogLimits, type KafkaLogOptions } from './kafka-log-options.js';
import { slowResponse } from '../kafkajs/request-queue.js';
import { kafkajsLogCreator, kafkajsWarnLevel, silentLogger } from './logger.js';
import type {
  BrokerAddress,
  BrokerConnections,
  DepartedBrokerDisconnector,
} from './departed-broker-disconnector.js';

/** Arguments with which kafkajs calls its socket factory. */
interface SocketFactoryArguments {
  host: string;
  port: number;
  ssl?: object;
  onConnect: () => void;
}

const departedMessage = 'the broker is no longer in the cluster';

/** The sockets of one kafkajs client, which can be closed without waiting for requests that a broker holds. */
export class KafkajsClientSockets implements BrokerConnections {
  /** Address of the broker, by socket. */
  private readonly open = new Map<Socket, BrokerAddress>();
  private closed = false;

  constructor(private readonly silentBrokers?: DepartedBrokerDisconnector) {
    silentBrokers?.add(this);
  }

  /** Socket factory for kafkajs. Without Nagle's algorithm, which delays requests: each is a single write. */
  readonly factory = ({ host, port, ssl, onConnect }: SocketFactoryArguments): Socket => {
    if (this.closed) throw new Error('the client is closed');
    const address: BrokerAddress = `${host}:${port}`;
    if (this.silentBrokers?.hasDeparted(address)) throw new Error(departedMessage);
    const name = isIP(host) ? {} : { servername: host };
    const socket = ssl
      ? connectTls({ host, port, ...name, ...ssl }, onConnect)
      : connectTcp({ host, port }, onConnect);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 15_000);
    this.open.set(socket, address);
    socket.on(slowResponse, () => this.silentBrokers?.suspect());
    socket.once('close', () => this.open.delete(socket));
    return socket;
  };

  cut(broker: BrokerAddress): void {
    for (const [socket, address] of this.open) {
      if (address === broker) socket.destroy(new Error(departedMessage));
    }
  }

  /** Closes every socket of the client and prevents new ones; requests that wait for a response fail. */
  destroy(): void {
    this.closed = true;
    this.silentBrokers?.remove(this);
    for (const socket of this.open.keys()) socket.destroy(new Error('the client is closed'));
  }
}

export function limitsOf(config: KafkaLogOptions): KafkaLogLimits {
  return { ...defaultKafkaLogLimits, ...config.bounds };
}

/** Returns the client id that brokers see. */
export function clientIdOf({ clientId, instance }: KafkaLogOptions): string {
  return instance === undefined ? clientId : `${clientId}@${instance}`;
}

/** Returns the client ids of processes that no longer run when this process does; see `KafkaLogOptions.instance`. */
export function predecessorsOf(config: KafkaLogOptions): ReadonlySet<string> {
  const former = config.formerInstances?.() ?? [];
  return new Set([config, ...former.map((instance) => ({ ...config, instance }))].map(clientIdOf));
}

/** Retries inside kafkajs: few and short, because the callers of kafkajs retry until their own deadline. */
const shortRetry = { initialRetryTime: 50, maxRetryTime: 500, multiplier: 2, factor: 0.2, retries: 4 };

/**
 * Retries of a producer. A batch keeps its sequence number only in retries inside kafkajs, so only these retries cannot
 * write it twice. kafkajs therefore retries for longer than any append waits, and an append that expires ends the
 * retries.
 */
export const producerRetry = { ...shortRetry, retries: 40 };

/** Returns the kafkajs options that all producers and cluster clients of this adapter share. */
export function clientOptions(config: KafkaLogOptions, sockets: KafkajsClientSockets) {
  const bounds = limitsOf(config);
  return {
    brokers: config.brokers,
    clientId: clientIdOf(config),
    ssl: config.tls,
    sasl: config.sasl,
    connectionTimeout: bounds.connectionTimeoutMs,
    authenticationTimeout: bounds.requestTimeoutMs,
    reauthenticationThreshold: 10_000,
    requestTimeout: bounds.requestTimeoutMs,
    enforceRequestTimeout: true,
    retry: shortRetry,
    socketFactory: sockets.factory,
    logLevel: kafkajsWarnLevel,
    logCreator: kafkajsLogCreator(config.logger ?? silentLogger),
  };
}
