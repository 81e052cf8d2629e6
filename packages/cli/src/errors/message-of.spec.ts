import { expect, it } from 'vitest';
import { OutputError } from './cli-error.js';
import { exitCodeOf } from './exit-code.js';
import { messageOf } from './message-of.js';

it('a failed write to the output is reported as a sentence, not as a bug of the program', () => {
  const error = new OutputError('Standard output cannot be written: no space left on device');
  expect([messageOf(error), exitCodeOf(error)]).toEqual([error.message, 70]);
});
