import { createHash, randomInt } from 'node:crypto';

/**
 * Text of an API key: `trb_<key_id>_<secret>_<checksum>`.
 *
 *     key_id    12 lower-case letters or digits; not secret, identifies the key in lists and logs
 *     secret    32 to 128 letters or digits
 *     checksum  the first 6 hex digits of SHA-256 over `trb_<key_id>_<secret>`
 *
 * The checksum reveals a typing error before any look-up, and lets secret scanners recognize a key. Only the SHA-256 of
 * the whole text is stored. A slow hash would add nothing, because the secret has at least 190 random bits.
 */
const keyPattern = /^trb_([a-z0-9]{12})_([A-Za-z0-9]{32,128})_([0-9a-f]{6})$/;

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

export const keyIdPattern = /^[a-z0-9]{12}$/;

/** Returns the key id of a key's text; undefined if the text is not a key or its checksum is wrong. */
export function keyIdOf(key: string): string | undefined {
  const match = keyPattern.exec(key);
  if (!match) return undefined;
  const [, keyId, secret, checksum] = match;
  return checksumOf(`trb_${keyId}_${secret}`) === checksum ? keyId : undefined;
}

/** Returns the SHA-256 of the whole text of an API key, 32 bytes. */
export function hashOfKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/**
 * Generates an API key: its text, which is shown once and never stored, its id, and the SHA-256 that is stored. With
 * `keyId`, generates another secret for the key with that id.
 */
export function generateKey(keyId = randomText(12, alphabet.slice(26))): {
  key: string;
  keyId: string;
  sha256: string;
} {
  const body = `trb_${keyId}_${randomText(40, alphabet)}`;
  const key = `${body}_${checksumOf(body)}`;
  return { key, keyId, sha256: hashOfKey(key).toString('hex') };
}

function checksumOf(body: string): string {
  return createHash('sha256').update(body).digest('hex').slice(0, 6);
}

/** Returns random text in which every character is equally likely. */
function randomText(length: number, letters: string): string {
  return Array.from({ length }, () => letters[randomInt(letters.length)]).join('');
}
