import { createHash, randomBytes } from 'node:crypto';

/** An API key of the documented form, and what a configuration stores of it. */
export interface TestKey {
  key: string;
  keyId: string;
  sha256: string;
}

/**
 * `trb_<key_id>_<secret>_<checksum>`, written down here once more on purpose: the tests' clients depend on the contract,
 * not on the code under test (whose libraries also change kafkajs for the whole process).
 */
export function testKey(): TestKey {
  const keyId = randomBytes(6).toString('hex');
  const body = `trb_${keyId}_${randomBytes(20).toString('hex')}`;
  const key = `${body}_${sha256(body).slice(0, 6)}`;
  return { key, keyId, sha256: sha256(key) };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
