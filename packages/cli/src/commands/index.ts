import { apply } from './apply.js';
import type { Command } from './command.js';
import { completion } from './completion.js';
import { count } from './count.js';
import { deadLettersList } from './dead-letters-list.js';
import { deadLettersReplay } from './dead-letters-replay.js';
import { remove } from './delete.js';
import { diff } from './diff.js';
import { doctor } from './doctor.js';
import { exportEvents } from './export.js';
import { get } from './get.js';
import { lag } from './lag.js';
import { produce } from './produce.js';
import { profileAdd } from './profile-add.js';
import { profileClear } from './profile-clear.js';
import { profileList } from './profile-list.js';
import { profileRemove } from './profile-remove.js';
import { profileUse } from './profile-use.js';
import { query } from './query.js';
import { sql } from './sql.js';
import { state } from './state.js';
import { tail } from './tail.js';
import { validate } from './validate.js';

/** All commands. Usage, completion and documentation are derived from this list. */
export const commands: readonly Command[] = [
  ...[produce, query, count, tail, state, exportEvents, sql],
  ...[get, apply, diff, remove, validate],
  ...[deadLettersList, deadLettersReplay, lag, doctor],
  ...[profileAdd, profileUse, profileClear, profileList, profileRemove],
  completion(() => commands),
];
