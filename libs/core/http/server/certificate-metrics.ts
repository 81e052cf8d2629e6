import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { AppConfig } from '#api';
import type { Logger } from '#telemetry';
import { certificateExpiry } from '../metrics.js';

const block = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Exports the expiry times of the configured Kafka certificates as metrics. The files are read once at the start, as
 * the Kafka client does, so a replaced file counts from the next start on.
 */
export function exportCertificateMetrics(
  config: Pick<AppConfig, 'KAFKA_TLS' | 'KAFKA_TLS_CA' | 'KAFKA_TLS_CERT'>,
  logger: Pick<Logger, 'warn'>,
): void {
  if (!config.KAFKA_TLS) return;
  const files = { kafka_ca: config.KAFKA_TLS_CA, kafka_client: config.KAFKA_TLS_CERT };
  for (const [certificate, path] of Object.entries(files)) {
    if (!path) continue;
    try {
      certificateExpiry.set({ certificate }, firstExpiry(readFileSync(path, 'utf8')));
    } catch (error) {
      // Only warn: the Kafka client reports whether the certificate works.
      logger.warn({ err: error, certificate }, 'cannot read when this certificate expires');
    }
  }
}

/**
 * Returns the earliest expiry of the certificates in a PEM text, in seconds since 1970. @throws Error when it has none
 */
export function firstExpiry(pem: string): number {
  const expiries = (pem.match(block) ?? []).map((one) => Date.parse(new X509Certificate(one).validTo) / 1000);
  if (expiries.length === 0) throw new Error('the file contains no certificate');
  return Math.min(...expiries);
}
