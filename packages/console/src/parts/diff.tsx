import { jsonDiff } from '../logic/json-diff.js';
import { visibleText } from '../logic/visible-text.js';
import { LongText } from './json-view.js';
import { Empty } from './states.js';
import { DataTable } from './table.js';

const most = 500;

interface DiffProps {
  before: string;
  after: string;
  /** Names of the two versions. */
  names: readonly [string, string];
}

/** The differences of two JSON texts. */
export function Diff({ before, after, names }: DiffProps) {
  const differences = jsonDiff(before, after, most);
  if (differences.length === 0) return <Empty title="There is no difference." />;
  return (
    <>
      <DataTable
        label="Differences"
        columns={[
          {
            name: 'Member',
            isHeading: true,
            cell: ({ pointer }) => <code>{visibleText(pointer) || '/'}</code>,
          },
          { name: names[0], class: 'removed', cell: ({ before }) => <Side text={before} /> },
          { name: names[1], class: 'added', cell: ({ after }) => <Side text={after} /> },
        ]}
        rows={differences}
        keyOf={({ pointer }) => pointer}
      />
      {differences.length === most && <p class="muted small">Only the first {most} differences are shown.</p>}
    </>
  );
}

function Side({ text }: { text: string | undefined }) {
  if (text === undefined) return <span class="muted">missing</span>;
  return <LongText text={visibleText(text)} />;
}
