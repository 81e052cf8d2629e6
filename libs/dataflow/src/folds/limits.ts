/** Limits of folds. Each fold operation also has limits in its own file, which keep its state small. */
export const foldLimits = {
  /** The most fields of one definition. */
  fields: 32,
  /** The most characters of a key. */
  keyCharacters: 256,
} as const;
