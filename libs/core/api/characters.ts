import { ValidateBy, type ValidationOptions } from 'class-validator';
import { hasCharacters, type CharacterCountBounds } from '#json';

/** Name of the validation rule that `Characters` adds. */
export const charactersRule = 'characters';

/** Validates the number of characters of a text. class-validator's `Length` does not count variation selectors. */
export function Characters(bounds: CharacterCountBounds, options: ValidationOptions = {}): PropertyDecorator {
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
