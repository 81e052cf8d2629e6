import { createHash, randomBytes } from 'node:crypto';

/**
 * An API key's text is `trb_<key_id>_<secret>_<checksum>`:
 *
 *     key_id    12 lower-case letters or digits; not secret, names the key in lists and logs
 *     secret    32 to 128 letters or digits
 *     checksum  the first 6 hex digits of SHA-256 over `trb_<key_id>_<secret>`: a typing error shows before any
 *               look-up, and secret scanners can tell a key from noise
 *
 * Only the SHA-256 of the whole text is ever stored. The secret has at least 190 bits of its own, so a slow hash
 * would add nothing.
 */
const keyPattern = /^trb_([a-z0-9]{12})_([A-Za-z0-9]{32,128})_([0-9a-f]{6})$/;

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

export const keyIdPattern = /^[a-z0-9]{12}$/;

/** The id inside a key's text, or undefined when the text is not a key or its checksum is wrong. */
export function keyIdOf(key: string): string | undefined {
  const match = keyPattern.exec(key);
  if (!match) return undefined;
  const [, keyId, secret, checksum] = match;
  return checksumOf(`trb_${keyId}_${secret}`) === checksum ? keyId : undefined;
}

/** SHA-256 of the key's whole text. */
export function hashOfKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/**
 * A new key: its text (show it once, never store it), its id, and what may be stored. With an id it is another secret
 * of that key.
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

/** Every character equally likely: bytes past the last whole multiple of the alphabet are drawn again. */
function randomText(length: number, letters: string): string {
  const usable = 256 - (256 % letters.length);
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < usable && text.length < length) text += letters[byte % letters.length];
    }
  }
  return text;
}
