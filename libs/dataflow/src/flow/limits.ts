import { limits } from '#event';

/**
 * Limits of pipeline definitions. Limits of single operators are in the operators' files. A definition has at most 64
 * KiB of JSON.
 */
export const pipelineLimits = {
  /** The most source streams of a pipeline. */
  streams: 20,
  /** The most operators of a definition, including those in branches. */
  operators: 50,
  /** The most keyed stages of a pipeline; each has a topic of its own. */
  stages: 10,
  /**
   * The most outputs of a definition: streams and webhook addresses, counted once for each operator that names them.
   */
  outputs: 20,
  /** The most characters of the name of a JSON member that an operator adds. */
  nameCharacters: 256,
  /**
   * The most bytes of the value of a record between two stages. An event that can be emitted takes less, even if its
   * JSON is escaped twice.
   */
  recordBytes: 8 * limits.eventBytes,
} as const;
