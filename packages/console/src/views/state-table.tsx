import type { ProjectionKeyState } from '#client';
import { setQuery } from '../app/router.js';
import { areNumbers, memberText } from '../logic/json-tree.js';
import { JsonTree } from '../parts/json-view.js';
import { Ago, Count, Text } from '../parts/values.js';

interface StateTableProps {
  states: readonly ProjectionKeyState[];
  fields: readonly string[];
  sort?: { field?: string; order?: string };
}

/** States of a projection. With `sort`, the name of a field sorts by it. */
export function StateTable({ states, fields, sort }: StateTableProps) {
  const isNumeric = new Map(
    fields.map((field) => [field, areNumbers(states.map(({ stateText }) => memberText(stateText, field)))]),
  );
  const classOf = (field: string) => (isNumeric.get(field) ? 'number' : 'digits');
  return (
    <div class="table" role="region" aria-label="States" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Key</th>
            {fields.map((field) => (
              <th key={field} scope="col" class={classOf(field)} aria-sort={ariaSort(field, sort)}>
                {sort ? (
                  <button type="button" class="sort" onClick={() => setQuery(nextSort(field, sort))}>
                    {field}
                    <span aria-hidden="true">
                      {sort.field === field ? (sort.order === 'asc' ? ' ↑' : ' ↓') : ''}
                    </span>
                  </button>
                ) : (
                  field
                )}
              </th>
            ))}
            <th scope="col" class="number">
              Events
            </th>
            <th scope="col">Updated</th>
          </tr>
        </thead>
        <tbody>
          {states.map(({ key, stateText, version, updated_at }) => (
            <tr key={key}>
              <th scope="row">
                <Text value={key} />
              </th>
              {fields.map((field) => (
                <td key={field} class={classOf(field)}>
                  <Cell text={memberText(stateText, field)} />
                </td>
              ))}
              <td class="number">
                <Count value={version} />
              </td>
              <td>
                <Ago value={updated_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A field of a state: exactly as text if it is short, else as a tree. */
function Cell({ text }: { text?: string }) {
  if (text === undefined) return <span class="muted">–</span>;
  return text.length <= 80 ? <Text value={text} /> : <JsonTree text={text} open={false} />;
}

function ariaSort(field: string, sort: StateTableProps['sort']) {
  if (sort?.field !== field) return undefined;
  return sort.order === 'asc' ? ('ascending' as const) : ('descending' as const);
}

function nextSort(field: string, { field: now, order }: { field?: string; order?: string }) {
  if (now !== field) return { order_by: field, order: 'desc' };
  return order === 'desc' ? { order_by: field, order: 'asc' } : { order_by: undefined, order: undefined };
}
