import { keyKind } from './keys/key-kind.js';
import { schemaKind } from './schemas/schema-kind.js';

/** The kinds of definitions of the core beside streams and erasures. Features bring the others. */
export const resourceKinds = [schemaKind, keyKind];
