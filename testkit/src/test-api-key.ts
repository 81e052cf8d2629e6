import { createHash, randomBytes } from 'node:crypto';

/** An API key in the documented form, and its setting in the configuration. */
export interface TestApiKey {
  key: string;
  keyId: string;
  sha256: string;
}

/**
 * Generates `trb_<key_id>_<secret>_<checksum>`. This function deliberately duplicates the code under test: the tests'
 * clients depend on the contract, and importing those libraries would patch kafkajs in the whole process.
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
