import { systemActor } from '#registry';
import { type ProjectionGeneration } from '#features/projections/definition';
import { stateRow } from '../../../../core/store/keyed-states.fixture.js';
import type { GivenGateway } from '../../../../../apps/gateway/src/gateway.fixture.js';

/** Makes the first generation of a new projection the serving one, as a processor does when it has caught up. */
export async function nowServing(
  { definitions }: Pick<GivenGateway, 'definitions'>,
  name: string,
): Promise<ProjectionGeneration> {
  const { value } = await definitions.projections.change(
    name,
    (current) => current && { ...current, serving: current.building, building: null },
    systemActor,
  );
  const serving = value?.serving;
  if (!serving) throw new Error(`there is no projection ${name}`);
  return serving;
}

/** Saves the state of one key of a generation, as if one event had been folded into it. */
export async function savedState(
  { store }: Pick<GivenGateway, 'store'>,
  { id: generation, spec }: ProjectionGeneration,
  { key, state }: { key: string; state: unknown },
): Promise<void> {
  const stream = spec.source.streams[0] ?? '';
  await store.projections.save(
    [stateRow({ owner: generation, stream, key, state: JSON.stringify(state) })],
    [],
  );
}
