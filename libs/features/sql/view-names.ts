import { createHash } from 'node:crypto';

/** An event type or a projection for which a ClickHouse view with a name is created. */
export interface ViewToName {
  /** The parts of the view's name: stream and event type, or the projection. */
  parts: readonly string[];
  /** Creation time (RFC 3339). If two views would have the same name, the older definition gets it. */
  createdAt: string;
}

/** Limit of a view's name, in characters. */
const mostCharacters = 120;

/**
 * Returns each definition by the name of its view. Names need no quotes in SQL: stream `orders` with type
 * `order.placed` becomes `orders__order_placed`. A name that is taken or too long ends in a hash of its parts.
 * @param reserved names that no view may get
 */
export function viewNames<T extends ViewToName>(
  all: readonly T[],
  reserved: readonly string[],
): Map<string, T> {
  const names = new Map<string, T>();
  const sorted = [...all].sort((a, b) => order(a.createdAt, b.createdAt) || order(keyOf(a), keyOf(b)));
  for (const named of sorted) {
    const plain = named.parts.map((part) => part.replaceAll(/[^A-Za-z0-9_]/g, '_')).join('__');
    const usable = plain.length <= mostCharacters && !/^\d/.test(plain);
    const free = usable && !names.has(plain) && !reserved.includes(plain);
    names.set(free ? plain : `t_${plain.slice(0, mostCharacters)}_${hashOf(named)}`, named);
  }
  return names;
}

function keyOf({ parts }: ViewToName): string {
  return parts.join('\0');
}

function hashOf(named: ViewToName): string {
  return createHash('sha256').update(keyOf(named)).digest('hex').slice(0, 12);
}

function order(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
