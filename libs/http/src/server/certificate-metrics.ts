import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { AppConfig } from '#api';
import { metrics, type Logger } from '#telemetry';

const block = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Shows when the certificates that this process is started with expire. They are read once, as the client of Kafka does:
 * a file that is replaced counts from the next start on.
 */
export function showCertificates(
  config: Pick<AppConfig, 'KAFKA_TLS' | 'KAFKA_TLS_CA' | 'KAFKA_TLS_CERT'>,
  logger: Pick<Logger, 'warn'>,
): void {
  if (!config.KAFKA_TLS) return;
  const files = { kafka_ca: config.KAFKA_TLS_CA, kafka_client: config.KAFKA_TLS_CERT };
  for (const [certificate, path] of Object.entries(files)) {
    if (!path) continue;
    try {
      metrics.certificateExpiry.set({ certificate }, firstExpiry(readFileSync(path, 'utf8')));
    } catch (error) {
      // Whether it can be used is for who connects with it to say.
      logger.warn({ err: error, certificate }, 'cannot tell when this certificate expires');
    }
  }
}

/** Seconds since 1970 when the first of the certificates of a PEM text expires. @throws when there is none */
export function firstExpiry(pem: string): number {
  const expiries = (pem.match(block) ?? []).map((one) => Date.parse(new X509Certificate(one).validTo) / 1000);
  if (expiries.length === 0) throw new Error('there is no certificate in it');
  return Math.min(...expiries);
}
