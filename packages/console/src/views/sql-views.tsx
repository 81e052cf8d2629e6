import { useState } from 'preact/hooks';
import type { LoadableData } from '../app/resource.js';
import { client } from '../app/session.js';
import { grouped } from '../logic/format.js';
import { matching } from '../logic/list.js';
import { identifier, type SqlView } from '../logic/sql-completion.js';
import { Button, Field, TextInput } from '../parts/form.js';
import { Empty, Loaded } from '../parts/states.js';
import { Text } from '../parts/values.js';

/** What the key may read with SQL. */
interface SqlViewList {
  views: readonly SqlView[];
  /** Whether there are more than were read. */
  isPartial: boolean;
}

const mostColumns = 5_000;
const mostShown = 100;
const statement = `SELECT table, name, type FROM system.columns ORDER BY table, position LIMIT ${mostColumns + 1}`;

/** Reads the views and their columns. The system tables contain only what the key may read. */
export async function readViews(signal: AbortSignal): Promise<SqlViewList> {
  const rows = await (
    await client.value.sql<{ table: string; name: string; type: string }>(statement, { signal })
  ).all();
  const views = new Map<string, { name: string; type: string }[]>();
  for (const { table, name, type } of rows.slice(0, mostColumns)) {
    if (!views.has(table)) views.set(table, []);
    views.get(table)!.push({ name, type });
  }
  return {
    views: [...views].map(([name, columns]) => ({ name, columns })),
    isPartial: rows.length > mostColumns,
  };
}

interface SqlViewsProps {
  of: LoadableData<SqlViewList>;
  /** Called with a name as SQL reads it. */
  onInsert: (name: string) => void;
}

/** The views and their columns. A click inserts a name into the statement. */
export function SqlViews({ of, onInsert }: SqlViewsProps) {
  const [search, setSearch] = useState('');
  const [isWide] = useState(() => matchMedia('(width >= 860px)').matches);
  return (
    <details class="card sql-views" open={isWide}>
      <summary>Tables and columns</summary>
      <Loaded of={of}>
        {({ views, isPartial }) => {
          const found = matching(views, ({ name }) => name, search);
          return (
            <>
              {views.length > 8 && (
                <Field name="Search tables" isHidden>
                  <TextInput value={search} placeholder="Search tables" onText={setSearch} />
                </Field>
              )}
              {views.length === 0 && <Empty title="The key may read no table." />}
              <ul aria-label="Tables">
                {found.slice(0, mostShown).map((view) => (
                  <ViewItem key={view.name} view={view} onInsert={onInsert} />
                ))}
              </ul>
              {found.length > mostShown && (
                <p class="muted small">{grouped(found.length - mostShown)} more: use the search.</p>
              )}
              {isPartial && (
                <p class="muted small">
                  The first {grouped(mostColumns)} columns are shown; SHOW TABLES lists all tables.
                </p>
              )}
            </>
          );
        }}
      </Loaded>
    </details>
  );
}

function ViewItem({
  view: { name, columns },
  onInsert,
}: { view: SqlView } & Pick<SqlViewsProps, 'onInsert'>) {
  const [open, setOpen] = useState(false);
  return (
    <li>
      <div class="sql-view">
        <Button
          class="expand"
          aria-expanded={open}
          aria-label={`Columns of ${name}`}
          onClick={() => setOpen(!open)}
        >
          <span class="caret" aria-hidden="true" />
        </Button>
        <Button class="quiet mono" title="Insert the name" onClick={() => onInsert(identifier(name))}>
          <Text value={name} />
        </Button>
      </div>
      {open && (
        <ul class="sql-view-columns" aria-label={`Columns of ${name}`}>
          {columns.map((column) => (
            <li key={column.name}>
              <Button
                class="quiet mono"
                title="Insert the name"
                onClick={() => onInsert(identifier(column.name))}
              >
                <Text value={column.name} />
              </Button>{' '}
              <span class="muted small">{column.type}</span>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}
