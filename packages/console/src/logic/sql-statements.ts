/** The statements of one API key in this browser. */
export interface KeyStatements {
  keyId: string;
  /** The statements that have run, the latest first. */
  history: readonly string[];
  saved: readonly SavedStatement[];
}

interface SavedStatement {
  name: string;
  statement: string;
}

const mostKeys = 5;
const mostStatements = 50;
/** Longer statements are not stored. */
const mostLength = 10_000;
export const mostNameLength = 80;

/** Reads what is stored; what is not of this form is left out. */
export function readStatements(text: string | null): readonly KeyStatements[] {
  try {
    const stored: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(stored) ? stored.slice(0, mostKeys).filter(isStatements) : [];
  } catch {
    return [];
  }
}

function isStatements(one: Partial<KeyStatements> | null): one is KeyStatements {
  const { keyId, history, saved } = one ?? {};
  return (
    typeof keyId === 'string' &&
    Array.isArray(history) &&
    history.every((text) => typeof text === 'string') &&
    Array.isArray(saved) &&
    saved.every((one: SavedStatement) => typeof one?.name === 'string' && typeof one.statement === 'string')
  );
}

export function statementsOf(all: readonly KeyStatements[], keyId: string): KeyStatements {
  return all.find((one) => one.keyId === keyId) ?? { keyId, history: [], saved: [] };
}

/** Replaces the statements of a key. The keys that were used last stay. */
export function withStatements(
  all: readonly KeyStatements[],
  changed: KeyStatements,
): readonly KeyStatements[] {
  return [changed, ...withoutKey(all, changed.keyId)].slice(0, mostKeys);
}

export function withoutKey(all: readonly KeyStatements[], keyId: string): readonly KeyStatements[] {
  return all.filter((one) => one.keyId !== keyId);
}

/** Puts a statement first in the history. */
export function ran(one: KeyStatements, statement: string): KeyStatements {
  if (statement.length > mostLength) return one;
  const before = one.history.filter((text) => text !== statement);
  return { ...one, history: [statement, ...before].slice(0, mostStatements) };
}

/** Saves a statement under a name; another one of this name is replaced. @throws Error if there is no space for it */
export function withSaved(one: KeyStatements, name: string, statement: string): KeyStatements {
  const others = one.saved.filter((saved) => saved.name !== name);
  if (statement.length > mostLength)
    throw new Error(`A saved statement has at most ${mostLength} characters.`);
  if (others.length >= mostStatements)
    throw new Error(`There are ${mostStatements} saved statements. Delete one first.`);
  const saved = [...others, { name, statement }].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { ...one, saved };
}

export function withoutSaved(one: KeyStatements, name: string): KeyStatements {
  return { ...one, saved: one.saved.filter((saved) => saved.name !== name) };
}

/** Returns a statement in one line of at most 90 characters, for a list. */
export function outlineOf(statement: string): string {
  const line = statement.replaceAll(/\s+/g, ' ').trim();
  return line.length > 90 ? `${line.slice(0, 89)}…` : line;
}
