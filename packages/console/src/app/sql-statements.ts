import { computed, signal } from '@preact/signals';
import {
  readStatements,
  statementsOf,
  withoutKey,
  withStatements,
  type KeyStatements,
} from '../logic/sql-statements.js';
import { apiKey } from './session.js';

/** Its value has no part of a key but the id, which is no secret. Each port is an origin with a storage of its own. */
const storageName = 'tributary.sql';

const stored = signal(readStatements(localStorage.getItem(storageName)));
const keyId = computed(() => /^trb_([a-z0-9]+)_/.exec(apiKey.value ?? '')?.[1] ?? '');

/** The statements of the key of this tab. */
export const statements = computed(() => statementsOf(stored.value, keyId.value));

/** Changes the statements of the key. Another tab may have changed them, so they are read again. */
export function changeStatements(change: (before: KeyStatements) => KeyStatements): void {
  const all = readStatements(localStorage.getItem(storageName));
  store(withStatements(all, change(statementsOf(all, keyId.value))));
}

/** Deletes the statements of the key. */
export function forgetStatements(): void {
  store(withoutKey(readStatements(localStorage.getItem(storageName)), keyId.peek()));
}

function store(all: readonly KeyStatements[]): void {
  stored.value = all;
  try {
    localStorage.setItem(storageName, JSON.stringify(all));
  } catch {
    // The storage of the browser is full: the statements stay until the tab is closed.
  }
}
