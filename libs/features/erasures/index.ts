import type { Feature } from '#app';
import { ErasureModule } from './erasure.module.js';

/** Erasures of all events of an entity. */
export const erasures: Feature = { name: 'erasures', gateway: ErasureModule };

export { mergedErasure } from './merged-erasure.js';
