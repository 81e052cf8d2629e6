import { limits } from '#event';

/** What bounds pipelines. An operator's own bounds stand in its file. A definition has at most 64 KiB of JSON. */
export const pipelineLimits = {
  /** Streams of a source. */
  streams: 20,
  /** Operators of a definition, those of its branches among them. */
  operators: 50,
  /** Stages: each has a topic of its own. */
  stages: 10,
  /** Streams and addresses that it writes to, each as often as an operator names it. */
  outputs: 20,
  /** Characters of a member's name. */
  nameCharacters: 256,
  /** The value of a record between operators, in bytes: an event that can be emitted takes less, escaped twice even. */
  recordBytes: 8 * limits.eventBytes,
} as const;
