import { useState } from 'preact/hooks';
import type { ProjectionKeyState } from '#client';
import { useLive } from '../app/resource.js';
import { setQuery } from '../app/router.js';
import { client } from '../app/session.js';
import { areNumbers, memberText } from '../logic/json-tree.js';
import { nextSort, type SortOrder } from '../logic/list.js';
import { JsonTree } from '../parts/json-view.js';
import { Empty, Problem } from '../parts/states.js';
import { DataTable, type Column } from '../parts/table.js';
import { Ago, Count, Text } from '../parts/values.js';

interface StateTableProps {
  states: readonly ProjectionKeyState[];
  fields: readonly string[];
  order?: SortOrder;
}

/** States of a projection. With `order`, the name of a field sorts by it. */
export function StateTable({ states, fields, order }: StateTableProps) {
  const columns = fields.map((field): Column<ProjectionKeyState> => {
    const isNumber = areNumbers(states.map(({ stateText }) => memberText(stateText, field)));
    return {
      name: field,
      isNumber,
      value: ({ stateText }) => memberText(stateText, field),
      class: isNumber ? 'number' : 'digits',
      cell: ({ stateText }) => <Cell text={memberText(stateText, field)} />,
    };
  });
  return (
    <DataTable
      label="States"
      columns={[
        { name: 'Key', isHeading: true, cell: ({ key }) => <Text value={key} /> },
        ...columns,
        { name: 'Events', isNumber: true, cell: ({ version }) => <Count value={version} /> },
        { name: 'Updated', cell: ({ updated_at }) => <Ago value={updated_at} /> },
      ]}
      rows={states}
      keyOf={({ key }) => key}
      sort={order && { order, onSort: ({ name }) => sortBy(nextSort(order, name, true)) }}
    />
  );
}

function sortBy({ name, isDescending }: SortOrder): void {
  setQuery({ order_by: name, order: name && (isDescending ? 'desc' : 'asc') });
}

/** A field of a state: exactly as text if it is short, else as a tree. */
function Cell({ text }: { text?: string }) {
  if (text === undefined) return <span class="muted">–</span>;
  return text.length <= 80 ? <Text value={text} /> : <JsonTree text={text} open={false} />;
}

const mostLiveKeys = 200;

interface LiveStatesProps {
  name: string;
  fields: readonly string[];
  prefix?: string;
}

/** The states that changed last, as they change. */
export function LiveStates({ name, fields, prefix = '' }: LiveStatesProps) {
  const [states, setStates] = useState<readonly ProjectionKeyState[]>([]);
  const error = useLive(
    (signal) => {
      const latest = new Map<string, ProjectionKeyState>();
      let changed = false;
      const read = async () => {
        for await (const change of client.value.projections.changes(name, { snapshot: true, signal })) {
          if (change.type === 'reset') latest.clear();
          if (change.type === 'change' && change.key.startsWith(prefix)) {
            latest.delete(change.key);
            latest.set(change.key, change);
            if (latest.size > mostLiveKeys) latest.delete(latest.keys().next().value!);
          }
          changed = true;
        }
      };
      const paint = () => {
        if (changed) setStates([...latest.values()].reverse());
        changed = false;
      };
      return { reading: read(), paint };
    },
    [name, prefix],
  );
  if (error !== undefined) return <Problem error={error} />;
  if (states.length === 0) return <Empty title="Waiting for changes." />;
  return (
    <>
      <p class="muted small" role="status">
        Live: the {mostLiveKeys} keys that changed last
      </p>
      <StateTable states={states} fields={fields} />
    </>
  );
}
