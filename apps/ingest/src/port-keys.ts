import { DEFINITIONS } from '#app';
import type { Definitions } from '#registry';
import { configuredAndIssuedKeys, requireApiKeys, type HttpAppOptions } from '#http';
import type { IngestConfig } from './ingest-config.js';

/** Returns the authentication options of the write port: no key, or a key for every route except probes. */
export function portKeys(config: IngestConfig): Pick<HttpAppOptions, 'configure' | 'anySite'> {
  if (!config.INGEST_REQUIRE_KEYS) return {};
  return {
    anySite: true,
    configure: (instance, services) =>
      requireApiKeys(instance, {
        ...configuredAndIssuedKeys(config, () => services.get<Definitions>(DEFINITIONS)),
        // Kubernetes probes have no key, and ingest has no other port for them.
        open: ['/health/ready'],
      }),
  };
}
