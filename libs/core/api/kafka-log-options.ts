import { readFileSync } from 'node:fs';
import type { KafkaLogOptions } from '#kafka';
import type { AppConfig } from './config.js';

/**
 * Returns the options of `openKafkaLog` from the KAFKA_* settings of a process, and reads the PEM files that they name.
 */
export function kafkaLogOptions(config: AppConfig, clientId: string): KafkaLogOptions {
  return {
    brokers: config.KAFKA_BROKERS,
    clientId,
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
