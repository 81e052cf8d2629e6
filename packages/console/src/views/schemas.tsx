import type { Schema } from '#client';
import { usePages, useResource } from '../app/resource.js';
import { hrefOf, place, setQuery } from '../app/router.js';
import { client, exact } from '../app/session.js';
import { memberText } from '../logic/json-tree.js';
import { tributary } from '../logic/shell.js';
import { one } from '../logic/url-state.js';
import { Diff } from '../parts/diff.js';
import { Labelled } from '../parts/form.js';
import { JsonTree } from '../parts/json-view.js';
import { ListPage, Page } from '../parts/page.js';
import { Empty, Listed, Loaded } from '../parts/states.js';
import type { Column } from '../parts/table.js';
import { Ago, Text } from '../parts/values.js';
import { NotFound } from './not-found.js';
import { CheckData, CheckSchema } from './schema-checks.js';

const columns: readonly Column<Schema>[] = [
  { name: 'Stream', cell: ({ stream }) => <a href={hrefOf(['streams', stream])}>{stream}</a> },
  {
    name: 'Event type',
    isHeading: true,
    cell: ({ stream, event_type }) => (
      <a href={hrefOf(['schema'], { stream, type: event_type })}>
        <Text value={event_type} />
      </a>
    ),
  },
  { name: 'Version', isNumber: true, cell: ({ version }) => version },
  { name: 'Mode', cell: ({ mode }) => mode },
  { name: 'Compatibility', cell: ({ compatibility }) => compatibility },
  { name: 'Created', cell: ({ created_at }) => <Ago value={created_at} /> },
];

export function SchemasView() {
  const schemas = usePages((cursor) => client.value.schemas.list({ cursor }), []);
  return (
    <ListPage
      title="Schemas"
      about="JSON Schemas that events are checked with."
      resources="schemas"
      of={schemas}
      columns={columns}
      keyOf={({ stream, event_type }) => `${stream} ${event_type}`}
      empty={
        <Empty title="There are no schemas yet.">
          Register one with POST /api/v1/schemas or `npx tributary apply`.
        </Empty>
      }
    />
  );
}

/** One schema: its versions, the difference between two, and checks of data and of a next version. */
export function SchemaView() {
  const [stream, type] = [one(place.value, 'stream'), one(place.value, 'type')];
  if (stream === undefined || type === undefined) return <NotFound />;
  return <Versions stream={stream} type={type} key={`${stream} ${type}`} />;
}

function Versions({ stream, type }: { stream: string; type: string }) {
  const address = { stream, event_type: type };
  const versions = usePages((cursor) => client.value.schemas.versions(address, { cursor }), [stream, type]);
  const path = `/api/v1/schemas/${encodeURIComponent(stream)}/${encodeURIComponent(type)}/versions`;
  const calls = [{ path, command: tributary('get', ['schemas', `${stream}/${type}`]) }];
  return (
    <Page
      title={type}
      heading={<Text value={type} />}
      about={
        <>
          Schema of <a href={hrefOf(['streams', stream])}>{stream}</a>
        </>
      }
      calls={calls}
    >
      <Listed of={versions} empty={<Empty title="There are no versions." />}>
        {(items) => (
          <>
            <Version versions={items} />
            <CheckData address={address} version={shownVersion(items).version} />
          </>
        )}
      </Listed>
      <CheckSchema address={address} />
    </Page>
  );
}

/** Returns the version that a parameter of the URL names. */
function namedVersion(versions: readonly Schema[], parameter: string): Schema | undefined {
  return versions.find(({ version }) => String(version) === one(place.value, parameter));
}

function shownVersion(versions: readonly Schema[]): Schema {
  return namedVersion(versions, 'version') ?? versions.at(-1)!;
}

function Version({ versions }: { versions: readonly Schema[] }) {
  const shown = shownVersion(versions);
  const other = namedVersion(versions, 'with');
  const text = useResource((signal) => schemaText(shown, signal), [shown.version]);
  const otherText = useResource((signal) => schemaText(other!, signal), [other?.version], { skip: !other });
  const option = ({ version }: Schema) => (
    <option key={version} value={version}>
      Version {version}
    </option>
  );
  return (
    <section class="card" aria-label="Version">
      <div class="card-head">
        <span class="inline">
          <Labelled name="Version">
            <select
              value={shown.version}
              onChange={(event) => setQuery({ version: event.currentTarget.value })}
            >
              {versions.map(option)}
            </select>
          </Labelled>
          <Labelled name="Compare with">
            <select
              value={other?.version ?? ''}
              onChange={(event) => setQuery({ with: event.currentTarget.value })}
            >
              <option value="">Compare with …</option>
              {versions.filter((version) => version !== shown).map(option)}
            </select>
          </Labelled>
        </span>
        <span class="muted small">
          mode {shown.mode} · compatibility {shown.compatibility} · registered{' '}
          <Ago value={shown.created_at} />
        </span>
      </div>
      <Loaded of={text}>
        {(after) =>
          other ? (
            <Loaded of={otherText}>
              {(before) => (
                <Diff
                  before={before}
                  after={after}
                  names={[`Version ${other.version}`, `Version ${shown.version}`]}
                />
              )}
            </Loaded>
          ) : (
            <JsonTree text={after} />
          )
        }
      </Loaded>
    </section>
  );
}

/** Reads the text of one version: the list has rounded its numbers. */
async function schemaText(schema: Schema, signal: AbortSignal): Promise<string> {
  const { text } = await exact(({ schemas }) => schemas.version(schema, schema.version, { signal }));
  return memberText(text, 'schema') ?? 'null';
}
