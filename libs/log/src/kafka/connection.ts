import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { defaultBounds, type KafkaLogBounds, type KafkaLogConfig } from './config.js';
import { slowAnswer } from './kafkajs/request-queue.js';
import { kafkajsLogCreator, kafkajsWarnLevel, silentLogger } from './logger.js';
import type { BrokerAddress, Connected, SilentBrokers } from './silent-brokers.js';

export interface SocketRequest {
  host: string;
  port: number;
  ssl?: object;
  onConnect: () => void;
}

/**
 * The sockets of one client, so that a close need not wait for requests that a broker holds (join, fetch), and a broker
 * that hangs can be left.
 */
export class Sockets implements Connected {
  /** The broker of each socket. */
  private readonly open = new Map<Socket, BrokerAddress>();
  private closed = false;

  constructor(private readonly silentBrokers?: SilentBrokers) {
    silentBrokers?.add(this);
  }

  /** kafkajs' `socketFactory`. Requests are single writes, so waiting for more (Nagle) only adds latency. */
  readonly factory = ({ host, port, ssl, onConnect }: SocketRequest): Socket => {
    if (this.closed) throw new Error('the client is closed');
    const name = isIP(host) ? {} : { servername: host };
    const socket = ssl
      ? connectTls({ host, port, ...name, ...ssl }, onConnect)
      : connectTcp({ host, port }, onConnect);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 15_000);
    this.open.set(socket, `${host}:${port}`);
    socket.on(slowAnswer, () => this.silentBrokers?.suspect());
    socket.once('close', () => this.open.delete(socket));
    return socket;
  };

  cut(broker: BrokerAddress): void {
    for (const [socket, address] of this.open) {
      if (address === broker) socket.destroy(new Error('the cluster goes on without this broker'));
    }
  }

  /** Cuts every connection, for good; requests that wait for an answer fail. */
  destroy(): void {
    this.closed = true;
    this.silentBrokers?.remove(this);
    for (const socket of this.open.keys()) socket.destroy(new Error('the client is closed'));
  }
}

export function boundsOf(config: KafkaLogConfig): KafkaLogBounds {
  return { ...defaultBounds, ...config.bounds };
}

/** The name that a broker sees. */
export function clientIdOf({ clientId, instance }: KafkaLogConfig): string {
  return instance === undefined ? clientId : `${clientId}@${instance}`;
}

/** Tries inside kafkajs: few and short, because what calls it tries again until its own deadline. */
const fewTries = { initialRetryTime: 50, maxRetryTime: 500, multiplier: 2, factor: 0.2, retries: 4 };

/**
 * Tries of a producer: only what kafkajs itself repeats keeps its sequence number and cannot be written twice, so it
 * goes on for longer than any append waits. An append that has expired ends it.
 */
export const producerTries = { ...fewTries, retries: 40 };

/** What every kafkajs client here is made with. */
export function clientOptions(config: KafkaLogConfig, sockets: Sockets) {
  const bounds = boundsOf(config);
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
    retry: fewTries,
    socketFactory: sockets.factory,
    logLevel: kafkajsWarnLevel,
    logCreator: kafkajsLogCreator(config.logger ?? silentLogger),
  };
}
