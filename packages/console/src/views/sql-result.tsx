import { useMemo, useState } from 'preact/hooks';
import { download } from '../app/download.js';
import { useAction } from '../app/resource.js';
import { client } from '../app/session.js';
import { grouped } from '../logic/format.js';
import { areNumbers, kindOf } from '../logic/json-tree.js';
import { tributary } from '../logic/shell.js';
import { visibleText } from '../logic/visible-text.js';
import { Button, Select } from '../parts/form.js';
import { Empty, Problem } from '../parts/states.js';
import { DataTable, type Column } from '../parts/table.js';
import { SqlChartPanel } from './sql-chart-panel.js';

/** The first rows of an answer. */
export interface Result {
  columns: readonly string[];
  /** Cells are JSON texts. */
  rows: readonly (readonly string[])[];
  hasMore: boolean;
  warning: string | undefined;
}

/** The rows of an answer as a chart and as a table, and the download of all rows. */
export function SqlResult({ result, statement }: { result: Result; statement: string }) {
  const { columns, rows, hasMore } = result;
  const shownColumns = useMemo(
    () =>
      columns.map((name, i): Column<readonly string[]> => {
        const isNumber = areNumbers(rows.map((row) => row[i]));
        return {
          name,
          title: () => visibleText(name),
          isNumber,
          class: isNumber ? 'number' : 'digits',
          cell: (row) => <bdi>{cellText(row[i]!)}</bdi>,
        };
      }),
    [columns, rows],
  );
  if (rows.length === 0) return <Empty title="The statement returned no rows." />;
  return (
    <>
      <SqlChartPanel columns={columns} rows={rows} />
      <div class="list-bar">
        <p class="muted small" role="status">
          {grouped(rows.length)} rows
          {hasMore && ': the statement returned more, which are not shown. A download has all of them.'}
        </p>
        <Download statement={statement} />
      </div>
      <DataTable label="Result" columns={shownColumns} rows={rows} keyOf={(_, index) => index} />
    </>
  );
}

/** Saves all rows: the statement runs again. */
function Download({ statement }: { statement: string }) {
  const [format, setFormat] = useState<'csv' | 'ndjson'>('csv');
  const action = useAction(async () => {
    const body = await client.value.exportSql(statement, { format });
    await download(body, `result.${format}`, tributary('sql', [], { output: format }));
  });
  return (
    <>
      <span class="export as-of">
        <Select
          name="Format of the download"
          isHidden
          value={format}
          options={[
            ['csv', 'CSV'],
            ['ndjson', 'NDJSON'],
          ]}
          onSelect={(value) => setFormat(value as 'csv' | 'ndjson')}
        />
        <Button action={action}>{action.running ? 'Downloading…' : 'Download'}</Button>
      </span>
      <Problem error={action.error} />
    </>
  );
}

/** The text of a cell: a string without quotes, all else exactly. */
function cellText(cell: string): string {
  const text = kindOf(cell) === 'string' ? (JSON.parse(cell) as string) : cell;
  return visibleText(text.length > 2_048 ? `${text.slice(0, 2_048)}…` : text);
}
