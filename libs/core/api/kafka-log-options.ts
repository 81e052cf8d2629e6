import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { KafkaLogOptions } from '#kafka';
import type { AppConfig } from './config.js';

/**
 * Returns the options of `openKafkaLog` from the KAFKA_* settings of a process, and reads the PEM files that they name.
 * A process with consumer groups passes the port that it listens on: the host name and the port form its `instance`.
 */
export function kafkaLogOptions(config: AppConfig, clientId: string, port?: number): KafkaLogOptions {
  return {
    brokers: config.KAFKA_BROKERS,
    clientId,
    // Port 0 means any free port, so it does not identify a process.
    ...(port && { instance: `${hostname()}:${port}` }),
    compression: config.KAFKA_COMPRESSION,
    replicationFactor: config.KAFKA_REPLICATION_FACTOR,
    ...(config.KAFKA_TLS && { tls: tlsOptions(config) }),
    ...(config.KAFKA_SASL_MECHANISM && {
      sasl: {
        mechanism: config.KAFKA_SASL_MECHANISM as NonNullable<KafkaLogOptions['sasl']>['mechanism'],
        username: config.KAFKA_SASL_USERNAME ?? '',
        password: config.KAFKA_SASL_PASSWORD ?? '',
      },
    }),
  };
}

function tlsOptions(config: AppConfig): NonNullable<KafkaLogOptions['tls']> {
  const read = (path: string | undefined): string | undefined =>
    path ? readFileSync(path, 'utf8') : undefined;
  const ca = read(config.KAFKA_TLS_CA);
  const cert = read(config.KAFKA_TLS_CERT);
  const key = read(config.KAFKA_TLS_KEY);
  return ca || cert || key ? { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) } : true;
}
