import type { Feature } from '#app';
import { DedupeSettings } from '#dataflow';
import { StreamsModule } from './streams.module.js';

/** Streams: their settings, sizes and lag, and their deletion. */
export const streams: Feature = { name: 'streams', settings: [DedupeSettings], gateway: StreamsModule };

export { requireChangeable } from './named-stream.js';
