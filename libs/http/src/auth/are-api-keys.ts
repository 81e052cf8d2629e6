import { ValidateBy } from 'class-validator';
import { ConfiguredKeyRing } from './configured-key-ring.js';

/**
 * Property decorator of class-validator for a setting that lists API keys in the format of `ConfiguredKeyRing`. The
 * error message of a rejected setting never contains a key or a hash.
 */
export function AreApiKeys(): PropertyDecorator {
  return ValidateBy({
    name: 'areApiKeys',
    validator: {
      validate: (value) => whatIsWrong(value) === undefined,
      defaultMessage: (args) => whatIsWrong(args?.value) ?? '',
    },
  });
}

function whatIsWrong(entries: unknown): string | undefined {
  try {
    void new ConfiguredKeyRing(entries as string[]);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
