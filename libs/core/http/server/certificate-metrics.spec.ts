import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metricsText } from '#telemetry';
import { firstExpiry, exportCertificateMetrics } from './run-app.js';

// Generated for this spec with `openssl req -x509 -newkey ec`; their private keys were deleted.
const later = `-----BEGIN CERTIFICATE-----
MIIBcDCCARegAwIBAgIUSttuSlPWxWg84S+XydrAX8Pk9YEwCgYIKoZIzj0EAwIw
DjEMMAoGA1UEAwwDb25lMB4XDTI2MTEyMTE2MjA0MloXDTM2MTExODE2MjA0Mlow
DjEMMAoGA1UEAwwDb25lMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEDs9G8ryj
DerYhUuoGErmzB3qvomtAuskjuDLQ/7ydcC5b0W0KfY6gQNXpmKC97LVgucYM9iv
+oy99BmkcWWpoKNTMFEwHQYDVR0OBBYEFKuR1VrKxuFF7Nf7YqsMl0yldvGsMB8G
A1UdIwQYMBaAFKuR1VrKxuFF7Nf7YqsMl0yldvGsMA8GA1UdEwEB/wQFMAMBAf8w
CgYIKoZIzj0EAwIDRwAwRAIgb+jVjLy7ogX+fojs77odZnySA+k3bLr6XWVLXHmQ
jiICIBLQ4JV6HZ1kKHgVGSsE2wDenR+HST6LzrdE26AHidzr
-----END CERTIFICATE-----
`;
const sooner = `-----BEGIN CERTIFICATE-----
MIIBcTCCARegAwIBAgIUd66UuVq0z4aEcPRHKcs9w+JVaj8wCgYIKoZIzj0EAwIw
DjEMMAoGA1UEAwwDdHdvMB4XDTI2MTEyMTE2MjA0MloXDTM1MDIwNzE2MjA0Mlow
DjEMMAoGA1UEAwwDdHdvMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEWPTnohu7
codf6ksvG0r7w7uLcF1ssJXZH5VoyTFY7p7iTLiITUFMMxWSZKUA0Q8W0p9qzt52
1tmDhI5JgJiQ16NTMFEwHQYDVR0OBBYEFLKt+yHVWRjYjJfvxyMMtSIsOgMlMB8G
A1UdIwQYMBaAFLKt+yHVWRjYjJfvxyMMtSIsOgMlMA8GA1UdEwEB/wQFMAMBAf8w
CgYIKoZIzj0EAwIDSAAwRQIhAKpGxZzgjJzbqemdU4bXsCPSgHK9nh9oDzN1vhsU
az/9AiBQnnF+sizYktofdGLeUhCH43Tsn4vKc4k+hv1+uMmufg==
-----END CERTIFICATE-----
`;
const expiry = Date.parse('2035-02-07T16:20:42Z') / 1000;

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'tributary-certificates-'))));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

describe('the expiry of certificates', () => {
  it('is the earliest expiry in a file', () => {
    expect(firstExpiry(later)).toBe(Date.parse('2036-11-18T16:20:42Z') / 1000);
    expect(firstExpiry(`# a bundle\n${later}\n${sooner}`)).toBe(expiry);
  });

  it('is exported for the configured files; a file that cannot be parsed is logged', async () => {
    const warnings: unknown[] = [];
    const config = {
      KAFKA_TLS: true,
      KAFKA_TLS_CA: file('ca.pem', later + sooner),
      KAFKA_TLS_CERT: file('cert.pem', 'none'),
    };
    exportCertificateMetrics(config, { warn: (...line: unknown[]) => void warnings.push(line) });
    const lines = (await metricsText()).split('\n').filter((line) => line.includes('certificate="'));
    expect(lines).toEqual([
      `tributary_tls_certificate_expiry_timestamp_seconds{certificate="kafka_ca"} ${expiry}`,
    ]);
    expect(warnings).toHaveLength(1);
  });
});
