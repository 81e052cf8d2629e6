/** How versions of a schema must fit together, as Confluent defines it. */
export const compatibilities = [
  'none',
  'backward',
  'backward_transitive',
  'forward',
  'forward_transitive',
  'full',
  'full_transitive',
] as const;
export type Compatibility = (typeof compatibilities)[number];
