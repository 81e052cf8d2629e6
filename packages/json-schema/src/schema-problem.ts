/** One error in a schema, or in a value that does not fit its schema. */
export interface SchemaProblem {
  /** JSON pointer (RFC 6901) to what is wrong. */
  pointer: string;
  /** What is wrong, as a sentence without its subject: `must be at least 1`. */
  detail: string;
}
