import { Checkbox } from './form.js';
import type { Column } from './table.js';

/** Returns the column that selects rows by their ids; its heading selects all that are shown. */
export function selectColumn<T extends { readonly id: string }>(
  chosen: ReadonlySet<string>,
  setChosen: (ids: ReadonlySet<string>) => void,
): Column<T> {
  const toggle = (ids: readonly string[], isChosen: boolean) => {
    const next = new Set(chosen);
    for (const id of ids)
      if (isChosen) next.add(id);
      else next.delete(id);
    setChosen(next);
  };
  return {
    name: 'Select',
    title: (rows) => {
      const ids = rows.map(({ id }) => id);
      const isAll = ids.every((id) => chosen.has(id));
      return <Checkbox label="Select all rows" checked={isAll} onChange={() => toggle(ids, !isAll)} />;
    },
    cell: ({ id }) => (
      <Checkbox
        label={`Select ${id}`}
        checked={chosen.has(id)}
        onChange={() => toggle([id], !chosen.has(id))}
      />
    ),
  };
}
