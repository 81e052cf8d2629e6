import { createHash, randomBytes } from 'node:crypto';

/** An API key in the documented form, and the value with which an app's configuration contains the key. */
export interface TestApiKey {
  key: string;
  keyId: string;
  sha256: string;
}

/**
 * Generates an API key `trb_<key_id>_<secret>_<checksum>`. This function deliberately duplicates the code under test:
 * the clients of the tests depend only on the documented form, and importing those libraries would patch kafkajs in the
 * whole process.
 */
export function testKey(): TestApiKey {
  const keyId = randomBytes(6).toString('hex');
  const body = `trb_${keyId}_${randomBytes(20).toString('hex')}`;
  const key = `${body}_${sha256(body).slice(0, 6)}`;
  return { key, keyId, sha256: sha256(key) };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
