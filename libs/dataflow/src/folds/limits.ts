/** What bounds folds. An operation's own bounds, which keep its state small, stand in its file. */
export const foldLimits = {
  /** Fields of one definition. */
  fields: 32,
  /** Characters of a key. */
  keyCharacters: 256,
} as const;
