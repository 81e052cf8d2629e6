import { DEFINITIONS } from '#app';
import type { Definitions } from '#registry';
import {
  authRejections,
  ConfiguredKeyRing,
  IssuedKeyRing,
  joinKeyRings,
  requireApiKeys,
  type HttpAppOptions,
} from '#http';
import type { IngestConfig } from './config/ingest-config.js';

/** Returns the authentication options of the write port: no key, or a key for every route except probes. */
export function portKeys(
  config: Pick<IngestConfig, 'INGEST_REQUIRE_KEYS' | 'API_KEYS' | 'KEYS_MAX_AGE_SECONDS'>,
): Pick<HttpAppOptions, 'configure' | 'anySite'> {
  if (!config.INGEST_REQUIRE_KEYS) return {};
  return {
    anySite: true,
    configure: (instance, services) => {
      const definitions = () => services.get<Definitions>(DEFINITIONS);
      requireApiKeys(instance, {
        keyRing: joinKeyRings(
          new ConfiguredKeyRing(config.API_KEYS),
          new IssuedKeyRing({ get: (keyId) => definitions().keys.get(keyId) }),
        ),
        issuedKeys: { ageMs: () => definitions().ageMs, mostMs: config.KEYS_MAX_AGE_SECONDS * 1000 },
        // Kubernetes probes have no key, and ingest has no other port for them.
        open: ['/health/ready'],
        onRefused: (code) => authRejections.inc({ code }),
      });
    },
  };
}
