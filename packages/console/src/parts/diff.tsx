import { jsonDiff } from '../logic/json-diff.js';
import { visibleText } from '../logic/visible-text.js';
import { LongText } from './json-view.js';
import { Empty } from './states.js';
import { DataTable } from './table.js';

const most = 500;

/** A version of a JSON value, with its exact text. */
export interface VersionText {
  version: number;
  text: string;
}

/** The differences of two versions of a JSON value. */
export function Diff({ before, after }: { before: VersionText; after: VersionText }) {
  const differences = jsonDiff(before.text, after.text, most);
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
          {
            name: `Version ${before.version}`,
            class: 'removed',
            cell: ({ before }) => <Side text={before} />,
          },
          { name: `Version ${after.version}`, class: 'added', cell: ({ after }) => <Side text={after} /> },
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
