/** Compatibility modes between versions of a schema, as Confluent Schema Registry defines them. */
export const compatibilities = [
  'none',
  'backward',
  'backward_transitive',
  'forward',
  'forward_transitive',
  'full',
  'full_transitive',
] as const;
export type SchemaCompatibility = (typeof compatibilities)[number];
