import { useEffect, useRef, useState } from 'preact/hooks';
import { SqlError } from '#client';
import { endsSession, useResource } from '../app/resource.js';
import { parameter, setQuery } from '../app/router.js';
import { client, settings } from '../app/session.js';
import { changeStatements } from '../app/sql-statements.js';
import { statementError, type StatementError } from '../logic/sql-error.js';
import { ran } from '../logic/sql-statements.js';
import { tributary, type Call } from '../logic/shell.js';
import { visibleText } from '../logic/visible-text.js';
import { Button, Form } from '../parts/form.js';
import { Page } from '../parts/page.js';
import { Empty, Loading, Problem } from '../parts/states.js';
import { SqlEditor, type EditorHandle } from './sql-editor.js';
import { SqlResult, type Result } from './sql-result.js';
import { StatementBar } from './sql-statement-bar.js';
import { readViews, SqlViews } from './sql-views.js';

const mostRows = 1_000;
const example =
  'SELECT toStartOfMinute(timestamp) AS minute, count() AS events\nFROM events\nGROUP BY minute\nORDER BY minute DESC\nLIMIT 100';

interface RunState {
  running: boolean;
  /** The statement that runs, or has run. */
  statement?: string;
  result?: Result;
  error?: unknown;
}

/** An editor of SQL over events and projections, with the result as table and chart. */
export function Sql() {
  if (settings.value?.keys) return <SqlPage />;
  return (
    <Page title="SQL">
      <Empty title="SQL is on the query port.">
        Open the console there, with a key that has the scope sql:read.
      </Empty>
    </Page>
  );
}

function SqlPage() {
  const stored = parameter('q');
  const [text, setText] = useState(stored ?? example);
  const [state, setState] = useState<RunState>({ running: false });
  const editor = useRef<EditorHandle>(null);
  const running = useRef<AbortController>(undefined);
  const views = useResource(readViews, []);
  useEffect(() => () => running.current?.abort(), []);
  const run = () => {
    if (text.trim() === '') return;
    running.current?.abort();
    const controller = (running.current = new AbortController());
    setQuery({ q: text }, { replace: true });
    changeStatements((before) => ran(before, text));
    setState({ running: true, statement: text });
    read(text, controller).then(
      (result) => running.current === controller && setState({ running: false, statement: text, result }),
      (error: unknown) => {
        if (running.current !== controller || endsSession(error)) return;
        const cancelled = controller.signal.aborted && new Error('The statement was cancelled.');
        setState({ running: false, statement: text, error: cancelled || error });
      },
    );
  };
  const cancel = () => running.current?.abort();
  const statement = stored ?? text;
  const calls: Call[] = [['/', { query: statement }, tributary('sql', [statement])]];
  const { error } = state;
  const position =
    error instanceof SqlError ? statementError(error.message, state.statement ?? '') : undefined;
  return (
    <Page
      title="SQL"
      about="SELECT statements over events and projections, for keys with sql:read."
      calls={calls}
    >
      <div class="sql-columns">
        <div class="card">
          <Form onSubmit={run}>
            <SqlEditor
              handle={editor}
              value={text}
              onText={setText}
              views={views.data?.views ?? []}
              onRun={run}
              onCancel={() => state.running && cancel()}
            />
            <p class="buttons">
              <span class="muted small">Ctrl+Enter runs the statement, Escape cancels it.</span>
              {state.running && <Button onClick={cancel}>Cancel</Button>}
              <button type="submit" class="primary" disabled={state.running || text.trim() === ''}>
                {state.running ? 'Running…' : 'Run'}
              </button>
            </p>
          </Form>
          <StatementBar statement={text} onSelect={setText} />
        </div>
        <SqlViews of={views} onInsert={(name) => editor.current?.insert(name)} />
      </div>
      {state.running && <Loading />}
      <Problem error={error} />
      {position && (
        <ErrorPosition
          at={position}
          onSelect={
            state.statement === text ? () => editor.current?.select(position.start, position.end) : undefined
          }
        />
      )}
      {state.result?.warning !== undefined && (
        <p role="status">
          <span class="status warn">Warning</span> {state.result.warning}.
        </p>
      )}
      {state.result && <SqlResult result={state.result} statement={state.statement!} />}
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

/** The line of an error, with the erroneous word. The button selects it in the editor, if the statement is unchanged. */
function ErrorPosition({ at, onSelect }: { at: StatementError; onSelect: (() => void) | undefined }) {
  return (
    <p class="where-error">
      <code>
        {visibleText(at.before)}
        <mark>{visibleText(at.wrong)}</mark>
        {visibleText(at.after)}
      </code>
      <span>
        Line {at.line}, character {at.column}{' '}
        {onSelect && (
          <Button class="quiet" onClick={onSelect}>
            Select it in the statement
          </Button>
        )}
      </span>
    </p>
  );
}
