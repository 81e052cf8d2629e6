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
/** A compatibility mode between the versions of a schema, as Confluent Schema Registry defines it. */
export type SchemaCompatibility = (typeof compatibilities)[number];
