import type { LoadableData } from '../app/resource.js';
import { jsonDiff, type JsonDifference } from '../logic/json-diff.js';
import { visibleText } from '../logic/visible-text.js';
import { JsonTree, LongText } from './json-view.js';
import { Empty, Loaded } from './states.js';
import { DataTable, type Column } from './table.js';

const most = 500;

/** A version of a JSON value, with its exact text. */
export interface VersionText {
  version: number;
  text: string;
}

interface VersionViewProps {
  shown: VersionText;
  /** Another version, to compare with. */
  other?: LoadableData<VersionText>;
}

/** A version of a JSON value as a tree, or how it differs from another version. */
export function VersionView({ shown, other }: VersionViewProps) {
  if (!other) return <JsonTree text={shown.text} />;
  return <Loaded of={other}>{(before) => <Diff before={before} after={shown} />}</Loaded>;
}

/** The differences of two versions of a JSON value. */
export function Diff({ before, after }: { before: VersionText; after: VersionText }) {
  const differences = jsonDiff(before.text, after.text, most);
  if (differences.length === 0) return <Empty title="There is no difference." />;
  const columns: readonly Column<JsonDifference>[] = [
    { name: 'Member', isHeading: true, cell: ({ pointer }) => <code>{visibleText(pointer) || '/'}</code> },
    { name: `Version ${before.version}`, class: 'removed', cell: ({ before }) => side(before) },
    { name: `Version ${after.version}`, class: 'added', cell: ({ after }) => side(after) },
  ];
  return (
    <>
      <DataTable label="Differences" columns={columns} rows={differences} keyOf={({ pointer }) => pointer} />
      {differences.length === most && <p class="muted small">Only the first {most} differences are shown.</p>}
    </>
  );
}

function side(text: string | undefined) {
  return text === undefined ? <span class="muted">missing</span> : <LongText text={visibleText(text)} />;
}
