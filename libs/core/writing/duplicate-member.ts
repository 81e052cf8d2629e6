import { shortPointerTo } from '#http';

/** Matches the strings and the punctuation of valid JSON. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g;

/** An object or array that the walk is in. */
interface Container {
  /** Names of the members so far; undefined in an array. */
  names: Set<string> | undefined;
  /** Name of the current member, or index of the current element. */
  key: string | number;
  /** Whether the next string is the name of a member. */
  namesNext: boolean;
}

/**
 * Returns a JSON pointer to the first member of a value whose name an earlier member of the same object has; undefined
 * if there is none. @param text Valid JSON
 */
export function duplicateMember(text: string): string | undefined {
  const path: Container[] = [];
  for (const [token] of text.matchAll(tokens)) {
    const inner = path.at(-1);
    if (token === '{') path.push({ names: new Set(), key: '', namesNext: true });
    else if (token === '[') path.push({ names: undefined, key: 0, namesNext: false });
    else if (token === '}' || token === ']') path.pop();
    else if (token === ',') next(inner!);
    else if (token !== ':' && inner?.namesNext && repeats(inner, JSON.parse(token) as string))
      return pointerTo(path);
  }
  return undefined;
}

function next(container: Container): void {
  if (container.names) container.namesNext = true;
  else container.key = Number(container.key) + 1;
}

/** Enters a member. Returns whether the object has a member with this name already. */
function repeats(object: Container, name: string): boolean {
  object.key = name;
  object.namesNext = false;
  if (object.names?.has(name)) return true;
  object.names?.add(name);
  return false;
}

/** Maximum number of characters of a pointer in an answer. */
const mostCharacters = 500;

function pointerTo(path: readonly Container[]): string {
  const pointer = path.reduce((outer, { key }) => shortPointerTo(outer, String(key)), '');
  return pointer.length > mostCharacters ? `${pointer.slice(0, mostCharacters)}…` : pointer;
}
