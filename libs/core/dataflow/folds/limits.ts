/** Limits of folds. Each fold operation also has limits in its own file, which keep the state of the field small. */
export const foldLimits = {
  /** Maximum number of fields of one fold. */
  fields: 32,
  /** Maximum number of characters of the key of a projection or a keyed stage. */
  keyCharacters: 256,
} as const;
