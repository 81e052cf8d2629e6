import { ValidateBy } from 'class-validator';
import { ConfiguredKeyRing } from './configured-key-ring.js';

/** Validates a setting of API keys in the format of `ConfiguredKeyRing`. Its message never contains a key. */
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
