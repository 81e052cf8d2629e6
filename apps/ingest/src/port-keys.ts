import { ConfiguredKeyRing, requireApiKeys, type HttpAppOptions } from '#http';
import { metrics } from '#telemetry';

/** What the write port asks of its clients: nothing inside the network, or a key for every route but `/health/live`. */
export function portKeys(entries: readonly string[]): Pick<HttpAppOptions, 'configure'> {
  if (entries.length === 0) return {};
  const keyRing = new ConfiguredKeyRing(entries);
  const onRefused = (code: string) => metrics.authRefused.inc({ code });
  return { configure: (instance) => requireApiKeys(instance, { keyRing, onRefused }) };
}
