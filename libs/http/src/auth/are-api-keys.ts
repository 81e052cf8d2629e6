import { ValidateBy } from 'class-validator';
import { ConfiguredKeyRing } from './configured-key-ring.js';

/** A setting of API keys in the form that `ConfiguredKeyRing` takes; what is wrong is said without showing any. */
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
