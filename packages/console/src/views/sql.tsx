import { useMemo, useRef, useState } from 'preact/hooks';
import { endsSession } from '../app/resource.js';
import { parameter, setQuery } from '../app/router.js';
import { client, settings } from '../app/session.js';
import { sqlChart } from '../logic/sql-chart.js';
import { tributary, type Call } from '../logic/shell.js';
import { areNumbers, kindOf } from '../logic/json-tree.js';
import { visibleText } from '../logic/visible-text.js';
import { LineChart } from '../parts/chart.js';
import { Button, Field, Form, TextArea } from '../parts/form.js';
import { Page } from '../parts/page.js';
import { Empty, Loading, Problem } from '../parts/states.js';
import { DataTable, type Column } from '../parts/table.js';

const mostRows = 1_000;
const example =
  'SELECT toStartOfMinute(timestamp) AS minute, count() AS events\nFROM events\nGROUP BY minute\nORDER BY minute DESC\nLIMIT 100';

const idle = { running: false };

interface Result {
  columns: readonly string[];
  rows: readonly (readonly string[])[];
  hasMore: boolean;
  warning: string | undefined;
}

/** An editor of SQL over events and projections, with the result as table and chart. */
export function Sql() {
  const stored = parameter('q');
  const [text, setText] = useState(stored ?? example);
  const [state, setState] = useState<{ running: boolean; result?: Result; error?: unknown }>(idle);
  const running = useRef<AbortController>(undefined);
  const run = () => {
    running.current?.abort();
    const controller = (running.current = new AbortController());
    setQuery({ q: text }, { replace: true });
    setState({ running: true });
    read(text, controller).then(
      (result) => running.current === controller && setState({ running: false, result }),
      (error: unknown) => {
        if (running.current !== controller || endsSession(error)) return;
        const cancelled = controller.signal.aborted && new Error('The statement was cancelled.');
        setState({ running: false, error: cancelled || error });
      },
    );
  };
  const statement = stored ?? text;
  const calls: Call[] = [['/', { query: statement }, tributary('sql', [statement])]];
  if (!settings.value?.keys)
    return (
      <Page title="SQL">
        <Empty title="SQL is on the query port.">
          Open the console there, with a key that has the scope sql:read.
        </Empty>
      </Page>
    );
  return (
    <Page
      title="SQL"
      about="SELECT statements over events and projections, for keys with sql:read."
      calls={calls}
    >
      <Form class="card" onSubmit={run}>
        <Field name="Statement">
          <TextArea
            rows={Math.min(16, Math.max(5, text.split('\n').length + 1))}
            value={text}
            onText={setText}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
              event.preventDefault();
              run();
            }}
          />
        </Field>
        <p class="buttons">
          <span class="muted small">Ctrl+Enter runs the statement.</span>
          {state.running && <Button onClick={() => running.current?.abort()}>Cancel</Button>}
          <button type="submit" class="primary" disabled={state.running || text.trim() === ''}>
            {state.running ? 'Running…' : 'Run'}
          </button>
        </p>
      </Form>
      {state.running && <Loading />}
      <Problem error={state.error} />
      {state.result?.warning !== undefined && (
        <p role="status">
          <span class="status warn">Warning</span> {state.result.warning}.
        </p>
      )}
      {state.result && <Rows result={state.result} />}
    </Page>
  );
}

/** Reads at most a thousand rows; leaving the loop cancels the statement. */
async function read(statement: string, { signal }: AbortController): Promise<Result> {
  const rows: (readonly string[])[] = [];
  const answer = await client.value.sql(statement, { signal });
  const { columns, warning } = answer;
  for await (const { texts } of answer) {
    if (rows.length === mostRows) return { columns, warning, rows, hasMore: true };
    rows.push(texts);
  }
  return { columns, warning, rows, hasMore: false };
}

function Rows({ result: { columns, rows, hasMore } }: { result: Result }) {
  const chart = useMemo(() => sqlChart(columns, rows), [columns, rows]);
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
      {chart && (
        <section class="card" aria-label="Chart">
          <LineChart {...chart} />
        </section>
      )}
      <p class="muted small" role="status">
        {rows.length} rows{hasMore && ': the statement returned more, which are not shown'}
      </p>
      <DataTable label="Result" columns={shownColumns} rows={rows} keyOf={(_, index) => index} />
    </>
  );
}

/** The text of a cell: a string without quotes, all else exactly. */
function cellText(cell: string): string {
  const text = kindOf(cell) === 'string' ? (JSON.parse(cell) as string) : cell;
  return visibleText(text.length > 2_048 ? `${text.slice(0, 2_048)}…` : text);
}
