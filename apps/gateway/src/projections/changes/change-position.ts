import type { ProjectionBuild } from '#definitions';
import { bindingOf, LivePosition } from '../../live/live-position.js';
import { notAPosition } from '../../live/live-problems.js';

/** A position belongs to a projection, and in it to a build: the offsets of one say nothing about the other. */
export function bindingTo(name: string, { id }: Pick<ProjectionBuild, 'id'>): string {
  return `${bindingOf(['changes', name])}${bindingOf(id)}`;
}

/**
 * Reads what a client has sent as its last id.
 * @returns undefined for the position of another build of this projection
 * @throws ProblemError 400 `invalid_cursor`
 */
export function positionIn(
  text: string,
  { name, build }: { name: string; build: Pick<ProjectionBuild, 'id'> },
): LivePosition | undefined {
  const position = LivePosition.parse(text, bindingTo(name, build));
  if (position) return position;
  const [binding = ''] = text.split('.');
  const isOfAnother = binding.length === bindingTo(name, build).length && binding !== bindingTo(name, build);
  if (isOfAnother && binding.startsWith(bindingOf(['changes', name]))) return undefined;
  throw notAPosition();
}
