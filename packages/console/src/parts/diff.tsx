import { jsonDiff } from '../logic/json-diff.js';
import { LongText } from './json-view.js';
import { Empty } from './states.js';
import { Table } from './table.js';
import { visibleText } from '../logic/visible-text.js';

const most = 500;

/** The differences of two JSON texts. */
export function Diff({
  before,
  after,
  names,
}: {
  before: string;
  after: string;
  names: readonly [string, string];
}) {
  const differences = jsonDiff(before, after, most);
  if (differences.length === 0) return <Empty title="There is no difference." />;
  return (
    <>
      <Table label="Differences" columns={[{ name: 'Member' }, { name: names[0] }, { name: names[1] }]}>
        {differences.map(({ pointer, before, after }) => (
          <tr key={pointer}>
            <th scope="row">
              <code>{visibleText(pointer) || '/'}</code>
            </th>
            <td class="removed">
              {before === undefined ? <Missing /> : <LongText text={visibleText(before)} />}
            </td>
            <td class="added">
              {after === undefined ? <Missing /> : <LongText text={visibleText(after)} />}
            </td>
          </tr>
        ))}
      </Table>
      {differences.length === most && <p class="muted small">Only the first {most} differences are shown.</p>}
    </>
  );
}

function Missing() {
  return <span class="muted">missing</span>;
}
