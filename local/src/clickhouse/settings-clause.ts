import { quote } from './sql.js';

/**
 * Returns the SETTINGS clause of a statement with the settings of its request; an empty text if there are none. The
 * settings of the statement's own clause override those of the request.
 * @param own The statement's own clause, which begins with `SETTINGS`, or an empty text.
 */
export function settingsClause(ofRequest: ReadonlyMap<string, string>, own: string): string {
  const requested = [...ofRequest].map(([name, value]) => `${name} = ${quote(value)}`);
  const given = own.slice('SETTINGS'.length).trim();
  const all = given === '' ? requested : [...requested, given];
  return all.length === 0 ? '' : `SETTINGS ${all.join(', ')}`;
}
