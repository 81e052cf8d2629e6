/** Limits of folds. Each operation has limits of its own in its file, which keep its state small. */
export const foldLimits = {
  /** The most fields of one definition. */
  fields: 32,
  /** The most characters of a key. */
  keyCharacters: 256,
} as const;
