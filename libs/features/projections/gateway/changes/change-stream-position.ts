import type { ProjectionGeneration } from '#features/projections/definition';
import { bindingOf, LivePosition, maxIdCharacters, invalidLastEventId } from '#features/events';

/**
 * Returns the binding of a position to one generation of a projection. Offsets of one generation mean nothing in
 * another.
 */
export function generationBinding(name: string, { id }: Pick<ProjectionGeneration, 'id'>): string {
  return `${bindingOf(['changes', name])}${bindingOf(id)}`;
}

/**
 * How far the changes between two positions were sent. They are sent in the order of keys: all changes up to the position
 * `to`, of the keys up to and including `after`, were sent.
 */
export interface ChangedKeysCursor {
  to: LivePosition;
  after: string;
}

/**
 * The position of a client in a live stream of projection changes: it has received every change up to `from`, and with
 * `sent` some of the following ones.
 */
export interface ChangeStreamPosition {
  from: LivePosition;
  sent?: ChangedKeysCursor | undefined;
}

/** Separates the parts of a message id. The text of a `LivePosition` never contains this character. */
const separator = '~';

/**
 * Returns the message id (`Last-Event-ID`) of a client's position: `from`, or `from~to~` and base64url of the key when
 * that fits into a header.
 */
export function changeId({ from, sent }: ChangeStreamPosition): string {
  if (!sent) return from.toString();
  const after = Buffer.from(sent.after, 'utf8').toString('base64url');
  const id = [from.toString(), sent.to.toString(), after].join(separator);
  return id.length > maxIdCharacters ? from.toString() : id;
}

/**
 * Parses the last id that a client sends.
 * @returns undefined for a position in another generation of this projection
 * @throws ProblemError 400 `invalid_cursor`
 */
export function parseChangeId(
  text: string,
  { name, generation }: { name: string; generation: Pick<ProjectionGeneration, 'id'> },
): ChangeStreamPosition | undefined {
  const binding = generationBinding(name, generation);
  const [first = '', to, after, ...more] = text.split(separator);
  const from = LivePosition.parse(first, binding);
  if (from && to === undefined) return { from };
  const end = to === undefined ? undefined : LivePosition.parse(to, binding);
  if (from && end && after !== undefined && more.length === 0)
    return { from, sent: { to: end, after: Buffer.from(after, 'base64url').toString('utf8') } };
  const [bound = ''] = first.split('.');
  const isOfAnother = bound.length === binding.length && bound !== binding;
  if (isOfAnother && bound.startsWith(bindingOf(['changes', name]))) return undefined;
  throw invalidLastEventId();
}
