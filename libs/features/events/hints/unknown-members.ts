import { isJsonObject } from '#json';
import { closestFirst, isLikelyMeant } from './closest-names.js';

/** A member that a `where` reads and no event of a sample has. */
export interface UnknownMember {
  /** The member as CEL writes it, such as `event.data.amont`. */
  member: string;
  /** Known members beside it, the most similar first. */
  known: string[];
  /** The known member that the author probably meant. */
  meant: string | undefined;
}

/** What is known of `data` or of `metadata`: the values of a sample, and JSON Schemas for them. */
export interface KnownObjects {
  values: readonly unknown[];
  schemas: readonly unknown[];
}

/** Limit of known members in a hint. */
const mostKnown = 20;

/** Limit of names that are compared with an unknown one. */
const mostNames = 1000;

/**
 * Returns the first member of the path that neither a value nor a schema has; undefined if they have the whole path.
 * @param path the member of the event, `data` or `metadata`, and the names below it
 */
export function unknownMember(path: readonly string[], known: KnownObjects): UnknownMember | undefined {
  let { values, schemas } = known;
  for (const [index, name] of path.entries()) {
    if (index === 0) continue;
    const objects = values.filter(isJsonObject);
    const described = schemas.map(propertiesOf).filter(isJsonObject);
    const having = (all: readonly Readonly<Record<string, unknown>>[]) =>
      all.filter((object) => Object.hasOwn(object, name)).map((object) => object[name]);
    [values, schemas] = [having(objects), having(described)];
    if (values.length + schemas.length > 0) continue;
    const parent = path.slice(0, index);
    const names = closestFirst(name, namesOf([...described, ...objects])).slice(0, mostKnown);
    const [closest] = names;
    const meant = closest !== undefined && isLikelyMeant(name, closest) ? closest : undefined;
    return {
      member: asCel([...parent, name]),
      known: names.map((one) => asCel([...parent, one])),
      meant: meant && asCel([...parent, meant]),
    };
  }
  return undefined;
}

function namesOf(objects: readonly object[]): Set<string> {
  const names = new Set<string>();
  for (const object of objects)
    for (const name of Object.keys(object)) {
      if (names.size >= mostNames) return names;
      names.add(name);
    }
  return names;
}

function propertiesOf(schema: unknown): unknown {
  return isJsonObject(schema) ? schema.properties : undefined;
}

/** Returns a member of an event as CEL writes it: a name that is no identifier stands in brackets. */
function asCel(path: readonly string[]): string {
  const steps = path.map((name) => (/^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`));
  return `event${steps.join('')}`;
}
