import { apply, diff } from './apply.js';
import type { Command } from './command.js';
import { completion } from './completion.js';
import { count, query, tail } from './events.js';
import { deadLettersList, deadLettersReplay } from './dead-letters.js';
import { remove, get } from './definitions.js';
import { erase } from './erase.js';
import { keysIssue, keysRevoke, keysRotate } from './keys.js';
import { pause, reset, resume } from './lifecycle.js';
import { streamsCreate, streamsRetention } from './streams.js';
import { doctor } from './doctor.js';
import { exportEvents } from './export.js';
import { lag } from './lag.js';
import { produce } from './produce.js';
import { profileAdd, profileClear, profileList, profileRemove, profileUse } from './profile.js';
import { receive } from './receive.js';
import { sql } from './sql.js';
import { state } from './state.js';
import {
  subscriptionsDiscard,
  subscriptionsParked,
  subscriptionsReplay,
  subscriptionsSeek,
} from './subscriptions.js';
import { validate } from './validate.js';

/** All commands. Usage, completion and documentation are derived from this list. */
export const commands: readonly Command[] = [
  ...[produce, query, count, tail, state, exportEvents, sql],
  ...[get, apply, diff, remove, validate],
  ...[pause, resume, reset, erase, streamsCreate, streamsRetention, keysIssue, keysRotate, keysRevoke],
  ...[receive, subscriptionsParked, subscriptionsReplay, subscriptionsDiscard, subscriptionsSeek],
  ...[deadLettersList, deadLettersReplay, lag, doctor],
  ...[profileAdd, profileUse, profileClear, profileList, profileRemove],
  completion(() => commands),
];
