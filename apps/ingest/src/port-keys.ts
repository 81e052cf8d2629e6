import type { Definitions } from '#registry';
import {
  ConfiguredKeyRing,
  IssuedKeyRing,
  joinKeyRings,
  requireApiKeys,
  type HttpAppOptions,
  type KeyRing,
  authRejections,
} from '#http';
import type { IngestConfig } from './config.js';

/** Returns the key ring of the write port: the keys of the configuration, then the issued keys. */
function keyRing({ API_KEYS }: Pick<IngestConfig, 'API_KEYS'>, { keys }: Pick<Definitions, 'keys'>): KeyRing {
  return joinKeyRings(new ConfiguredKeyRing(API_KEYS), new IssuedKeyRing(keys));
}

/** Returns the authentication options of the write port: no key, or a key for every route except probes. */
export function portKeys(
  config: Pick<IngestConfig, 'INGEST_REQUIRE_KEYS' | 'API_KEYS' | 'KEYS_MAX_AGE_SECONDS'>,
  definitions: Pick<Definitions, 'keys' | 'ageMs'>,
): Pick<HttpAppOptions, 'configure' | 'anySite'> {
  if (!config.INGEST_REQUIRE_KEYS) return {};
  const options = {
    keyRing: keyRing(config, definitions),
    issuedKeys: { ageMs: () => definitions.ageMs, mostMs: config.KEYS_MAX_AGE_SECONDS * 1000 },
    // Kubernetes probes have no key, and ingest has no other port for them.
    open: ['/health/ready'],
    onRefused: (code: string) => authRejections.inc({ code }),
  };
  return { anySite: true, configure: (instance) => requireApiKeys(instance, options) };
}
