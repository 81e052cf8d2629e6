import type { Feature } from '#app';
import { KeysModule } from './keys.module.js';

/** API keys: issued, rotated and revoked. */
export const keys: Feature = { name: 'keys', gateway: KeysModule };
