import type { Definitions } from '#registry';
import {
  ConfiguredKeyRing,
  DefinedKeyRing,
  joinedRings,
  requireApiKeys,
  type HttpAppOptions,
  type KeyRing,
} from '#http';
import { metrics } from '#telemetry';
import type { IngestConfig } from './config.js';

/** The keys that the write port knows: those of the configuration, then those that were issued. */
function keyRing({ API_KEYS }: Pick<IngestConfig, 'API_KEYS'>, { keys }: Pick<Definitions, 'keys'>): KeyRing {
  return joinedRings(new ConfiguredKeyRing(API_KEYS), new DefinedKeyRing(keys));
}

/** What the write port asks of its clients: nothing inside the network, or a key for every route but its probes'. */
export function portKeys(
  config: Pick<IngestConfig, 'INGEST_REQUIRE_KEYS' | 'API_KEYS' | 'KEYS_MAX_AGE_SECONDS'>,
  definitions: Pick<Definitions, 'keys' | 'ageMs'>,
): Pick<HttpAppOptions, 'configure' | 'anySite'> {
  if (!config.INGEST_REQUIRE_KEYS) return {};
  const options = {
    keyRing: keyRing(config, definitions),
    issuedKeys: { ageMs: () => definitions.ageMs, mostMs: config.KEYS_MAX_AGE_SECONDS * 1000 },
    // Kubernetes' probes have no key, and there is no other port that they could ask.
    open: ['/health/ready'],
    onRefused: (code: string) => metrics.authRefused.inc({ code }),
  };
  return { anySite: true, configure: (instance) => requireApiKeys(instance, options) };
}
