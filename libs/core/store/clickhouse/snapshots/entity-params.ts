import { splitBySize } from '../split-by-size.js';
import type { SqlParams } from '../sql-params.js';

/**
 * Binds the ids of entities, and a number for each of them that a row's `entity_id` selects. The expressions are
 * placeholders and `transform`, which looks the number up in a hash table.
 */
export function entityParams<Entity extends { entityId: string }>(
  entities: readonly Entity[],
  params: SqlParams,
): { ids: string; perEntity: (numberOf: (entity: Entity) => number) => string } {
  const ids = params.bind(
    'Array(String)',
    entities.map(({ entityId }) => entityId),
  );
  const perEntity = (numberOf: (entity: Entity) => number) =>
    `transform(entity_id, ${ids}, ${params.bind('Array(UInt64)', entities.map(numberOf))}, toUInt64(0))`;
  return { ids, perEntity };
}

/** Divides entities into lists whose ids are short enough for one query. */
export function* splitEntities<Entity extends { entityId: string }>(
  entities: readonly Entity[],
): Generator<Entity[]> {
  let from = 0;
  for (const ids of splitBySize(entities.map(({ entityId }) => entityId)))
    yield entities.slice(from, (from += ids.length));
}
