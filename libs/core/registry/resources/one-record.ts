import { ProblemError } from '#api';
import { limits } from '#event';
import { readDefinition } from './read-definition.js';
import { UnreadableDefinitionError, type ResourceRules } from './resource-kind.js';

/** What the kinds whose definitions are one record each do not have in common. */
interface OneRecordOptions<T> {
  nameOf: (definition: T) => string;
  /** Default: a name is its own identity. */
  identityOf?: (name: string) => string;
  /** Returns the spec of a definition, which a change may not make larger than `limits.definitionBytes`. */
  specOf?: (definition: T) => object;
  /** Checks members that depend on each other. @throws UnreadableDefinitionError */
  requireConsistent?: (definition: T) => void;
}

/**
 * Returns the rules of a kind whose definitions are one record each. A record is read through the class of the
 * definition; it is unreadable if its key is that of another definition.
 */
export function oneRecord<T extends object>(
  type: new () => T,
  { nameOf, identityOf = (name) => name, specOf, requireConsistent }: OneRecordOptions<T>,
): Pick<ResourceRules<T>, 'nameOf' | 'identityOf' | 'write' | 'read' | 'compose'> {
  return {
    nameOf,
    identityOf,
    write: (value) => {
      const bytes = specOf ? Buffer.byteLength(JSON.stringify(specOf(value))) : 0;
      if (bytes <= limits.definitionBytes)
        return { slot: '0', body: { ...value } as Record<string, unknown> };
      const detail = `The definition takes ${bytes} bytes; at most ${limits.definitionBytes} are allowed.`;
      throw new ProblemError('payload_too_large', detail);
    },
    read: (identity, { body }) => {
      const definition = readDefinition(type, body);
      if (identityOf(nameOf(definition)) !== identity)
        throw new UnreadableDefinitionError('the name differs from the record key');
      requireConsistent?.(definition);
      return definition;
    },
    compose: (parts) => parts.at(-1) as T,
  };
}
