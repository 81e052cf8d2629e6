import { systemActor, type ProjectionBuild } from '#registry';
import { stateRow } from '../../../../../libs/store/src/keyed-states.fixture.js';
import type { GivenGateway } from '../../gateway.fixture.js';

/** A projection that was just defined serves: what a processor says when it has caught up. */
export async function nowServing(
  { definitions }: Pick<GivenGateway, 'definitions'>,
  name: string,
): Promise<ProjectionBuild> {
  const { value } = await definitions.projections.change(
    name,
    (current) => current && { ...current, serving: current.building, building: null },
    systemActor,
  );
  const serving = value?.serving;
  if (!serving) throw new Error(`there is no projection ${name}`);
  return serving;
}

/** A key of a build with this state of its fold, of one event. */
export async function savedState(
  { store }: Pick<GivenGateway, 'store'>,
  { id: build, spec }: ProjectionBuild,
  { key, state }: { key: string; state: unknown },
): Promise<void> {
  const stream = spec.source.streams[0] ?? '';
  await store.projections.save([stateRow({ owner: build, stream, key, state: JSON.stringify(state) })], []);
}
