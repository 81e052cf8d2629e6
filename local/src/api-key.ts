import { createHash, randomInt } from 'node:crypto';
import { join } from 'node:path';
import { storedSecret } from './engine/private-files.js';

const keyForm = /^trb_[a-z0-9]{12}_[A-Za-z0-9]{32,}_[0-9a-f]{6}$/;
const everyScope =
  'events:read+events:write+definitions:read+definitions:write+subscriptions:consume+sql:read+admin';
const digits = '0123456789';
const lower = 'abcdefghijklmnopqrstuvwxyz';

/** Returns the API key of a data folder. The key is created once and kept in a file that only its owner may read. */
export function folderApiKey(folder: string): Promise<string> {
  return storedSecret(join(folder, 'api-key'), { valid: keyForm, make: makeApiKey });
}

/** Generates `trb_<key_id>_<secret>_<checksum>`; libs/core/http/auth/api-key.ts describes the parts. */
export function makeApiKey(): string {
  const body = `trb_${random(12, lower + digits)}_${random(40, lower + lower.toUpperCase() + digits)}`;
  return `${body}_${sha256(body).slice(0, 6)}`;
}

/** Returns the gateway's setting for a key with every scope: `<key_id>:<sha256 of the key>:<scope>+<scope>...` */
export function apiKeySetting(key: string): string {
  return `${key.split('_')[1]}:${sha256(key)}:${everyScope}`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function random(length: number, letters: string): string {
  return Array.from({ length }, () => letters[randomInt(letters.length)]).join('');
}
