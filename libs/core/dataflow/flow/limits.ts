import { limits } from '#event';

/**
 * Limits of pipeline definitions. Limits of single operators are in the operators' files. A definition has at most 64
 * KiB of JSON.
 */
export const pipelineLimits = {
  /** Maximum number of source streams of a pipeline. */
  streams: 20,
  /** Maximum number of operators of a pipeline definition, including those in branches. */
  operators: 50,
  /** Maximum number of keyed stages of a pipeline; each reads a repartition topic of its own. */
  stages: 10,
  /**
   * Maximum number of outputs of a pipeline definition: streams and webhook addresses, counted once for each operator
   * that names them.
   */
  outputs: 20,
  /** Maximum number of characters in the name of a JSON member that an operator adds. */
  nameCharacters: 256,
  /**
   * Maximum number of bytes of the value of a Kafka record in a repartition topic. An event that can be emitted takes
   * less, even if its JSON is escaped twice.
   */
  recordBytes: 8 * limits.eventBytes,
} as const;
