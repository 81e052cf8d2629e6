import type { DeadLetter } from './store.js';

/** Names a dead letter by its identity. */
export function deadLetterId(letter: DeadLetter): string {
  const identity = [letter.source, letter.stream, letter.partition, letter.offset];
  return Buffer.from(JSON.stringify(identity), 'utf8').toString('base64url');
}
