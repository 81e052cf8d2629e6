import { limits } from '#event';

/** Limits of pipelines. An operator's own limits are in its file. A definition has at most 64 KiB of JSON. */
export const pipelineLimits = {
  /** Streams of one source. */
  streams: 20,
  /** Operators of a definition, including those in branches. */
  operators: 50,
  /** Keyed stages; each has a topic of its own. */
  stages: 10,
  /** Outputs of a definition: streams and webhook addresses, counted once for each operator that names them. */
  outputs: 20,
  /** Characters of the name of a member. */
  nameCharacters: 256,
  /**
   * Bytes of the value of a record between two stages. An event that can be emitted takes less, even if its JSON is
   * escaped twice.
   */
  recordBytes: 8 * limits.eventBytes,
} as const;
