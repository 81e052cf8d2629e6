import { ValidateBy, type ValidationOptions } from 'class-validator';

/** How many characters a text has. */
export interface CharacterBounds {
  least?: number;
  most: number;
}

/** The name of the rule that `Characters` sets. */
export const charactersRule = 'characters';

/**
 * Whether a text has so many characters. A character is a code point of Unicode, in every limit: an emoji may be one, a
 * letter with a combining accent is two. JSON Schema counts in the same way.
 */
export function hasCharacters(text: string, { least = 1, most }: CharacterBounds): boolean {
  const units = text.length;
  // A code point is one or two UTF-16 units.
  if (units < least || units > 2 * most) return false;
  if (units <= most && units >= 2 * least) return true;
  const count = charactersOf(text);
  return count >= least && count <= most;
}

/** The number of code points of a text. A half of a surrogate pair counts as one. */
export function charactersOf(text: string): number {
  let pairs = 0;
  for (let i = 1; i < text.length; i++) {
    const isPair = (text.charCodeAt(i) & 0xfc00) === 0xdc00 && (text.charCodeAt(i - 1) & 0xfc00) === 0xd800;
    if (isPair) pairs++;
  }
  return text.length - pairs;
}

/** A property that is a text of so many characters. class-validator's own `Length` does not count variation selectors. */
export function Characters(bounds: CharacterBounds, options: ValidationOptions = {}): PropertyDecorator {
  const { least = 1, most } = bounds;
  const validate = (value: unknown) => typeof value === 'string' && hasCharacters(value, bounds);
  return ValidateBy(
    {
      name: charactersRule,
      constraints: [least, most],
      validator: { validate, defaultMessage: () => `must be ${least} to ${most} characters` },
    },
    options,
  );
}
