import type { ProjectionBuild } from '#registry';
import { bindingOf, LivePosition, longestId } from '../../live/live-position.js';
import { notAPosition } from '../../live/live-problems.js';

/** A position belongs to a projection, and in it to a build: the offsets of one say nothing about the other. */
export function bindingTo(name: string, { id }: Pick<ProjectionBuild, 'id'>): string {
  return `${bindingOf(['changes', name])}${bindingOf(id)}`;
}

/** What was sent of the changes from one position up to another: those of the keys up to `after`. */
export interface SentChanges {
  to: LivePosition;
  after: string;
}

/** How far a client is: it has every change up to a position, and maybe some of those that follow. */
export interface ChangePosition {
  from: LivePosition;
  sent?: SentChanges | undefined;
}

/** No position has this character in it. */
const separator = '~';

/** Returns the id of a position: `from`, or `from~to~` and base64url of the key where that fits into a header. */
export function changeId({ from, sent }: ChangePosition): string {
  if (!sent) return from.toString();
  const after = Buffer.from(sent.after, 'utf8').toString('base64url');
  const id = [from.toString(), sent.to.toString(), after].join(separator);
  return id.length > longestId ? from.toString() : id;
}

/**
 * Reads what a client has sent as its last id.
 * @returns undefined for the position of another build of this projection
 * @throws ProblemError 400 `invalid_cursor`
 */
export function positionIn(
  text: string,
  { name, build }: { name: string; build: Pick<ProjectionBuild, 'id'> },
): ChangePosition | undefined {
  const binding = bindingTo(name, build);
  const [first = '', to, after, ...more] = text.split(separator);
  const from = LivePosition.parse(first, binding);
  if (from && to === undefined) return { from };
  const end = to === undefined ? undefined : LivePosition.parse(to, binding);
  if (from && end && after !== undefined && more.length === 0)
    return { from, sent: { to: end, after: Buffer.from(after, 'base64url').toString('utf8') } };
  const [bound = ''] = first.split('.');
  const isOfAnother = bound.length === binding.length && bound !== binding;
  if (isOfAnother && bound.startsWith(bindingOf(['changes', name]))) return undefined;
  throw notAPosition();
}
