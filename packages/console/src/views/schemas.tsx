import type { Schema } from '#client';
import { usePages, useResource } from '../app/resource.js';
import { hrefOf, parameter, setQuery } from '../app/router.js';
import { client, exact } from '../app/session.js';
import { memberText } from '../logic/json-tree.js';
import { tributary, type Call } from '../logic/shell.js';
import { VersionView, type VersionText } from '../parts/diff.js';
import { Select } from '../parts/form.js';
import { refreshMs } from '../parts/list.js';
import { ListPage, NotFound, Page } from '../parts/page.js';
import { Listed, Loaded } from '../parts/states.js';
import type { Column } from '../parts/table.js';
import { Ago, Link } from '../parts/values.js';
import { CheckData, CheckSchema } from './schema-checks.js';

const columns: readonly Column<Schema>[] = [
  {
    name: 'Stream',
    value: ({ stream }) => stream,
    cell: ({ stream }) => <Link href={hrefOf(['streams', stream])} text={stream} />,
  },
  {
    name: 'Event type',
    isHeading: true,
    value: ({ event_type }) => event_type,
    cell: ({ stream, event_type }) => (
      <Link href={hrefOf(['schema'], { stream, type: event_type })} text={event_type} />
    ),
  },
  { name: 'Version', isNumber: true, value: ({ version }) => version, cell: ({ version }) => version },
  { name: 'Mode', value: ({ mode }) => mode, cell: ({ mode }) => mode },
  {
    name: 'Compatibility',
    value: ({ compatibility }) => compatibility,
    cell: ({ compatibility }) => compatibility,
  },
  {
    name: 'Created',
    value: ({ created_at }) => created_at,
    cell: ({ created_at }) => <Ago value={created_at} />,
  },
];

function schemaName({ stream, event_type }: Schema): string {
  return `${stream} ${event_type}`;
}

export function SchemasView() {
  const schemas = usePages((cursor) => client.value.schemas.list({ cursor, limit: 500 }), [], {
    everyMs: refreshMs,
  });
  return (
    <ListPage
      title="Schemas"
      about="JSON Schemas that events are checked with."
      of={schemas}
      columns={columns}
      keyOf={schemaName}
      textOf={schemaName}
      isFolded
      empty="There are no schemas yet."
      hint="Register one with POST /api/v1/schemas or `npx tributary apply`."
    />
  );
}

/** One schema: its versions, the difference between two, and checks of data and of a next version. */
export function SchemaView() {
  const [stream, type] = [parameter('stream'), parameter('type')];
  if (stream === undefined || type === undefined) return <NotFound />;
  return <Versions stream={stream} type={type} key={`${stream} ${type}`} />;
}

function Versions({ stream, type }: { stream: string; type: string }) {
  const address = { stream, event_type: type };
  const versions = usePages((cursor) => client.value.schemas.versions(address, { cursor }), [stream, type]);
  const path = `/api/v1/schemas/${encodeURIComponent(stream)}/${encodeURIComponent(type)}/versions`;
  const calls: Call[] = [[path, undefined, tributary('get', ['schemas', `${stream}/${type}`])]];
  return (
    <Page
      title={type}
      about={
        <>
          Schema of <Link href={hrefOf(['streams', stream])} text={stream} />
        </>
      }
      calls={calls}
    >
      <Listed of={versions} empty="There are no versions.">
        {(items) => (
          <>
            <Version versions={items} />
            <CheckData
              key={shownVersion(items).version}
              address={address}
              version={shownVersion(items).version}
            />
          </>
        )}
      </Listed>
      <CheckSchema address={address} />
    </Page>
  );
}

/** Returns the version that a parameter of the URL names. */
function namedVersion(versions: readonly Schema[], name: string): Schema | undefined {
  return versions.find(({ version }) => String(version) === parameter(name));
}

function shownVersion(versions: readonly Schema[]): Schema {
  return namedVersion(versions, 'version') ?? versions.at(-1)!;
}

function Version({ versions }: { versions: readonly Schema[] }) {
  const shown = shownVersion(versions);
  const other = namedVersion(versions, 'with');
  const text = useResource((signal) => schemaText(shown, signal), [shown.version]);
  const otherText = useResource((signal) => schemaText(other!, signal), [other?.version], { skip: !other });
  const options = versions.map(({ version }) => [version, `Version ${version}`] as const);
  const others = options.filter(([version]) => version !== shown.version);
  return (
    <section class="card" aria-label="Version">
      <div class="card-head">
        <span class="inline">
          <Select
            name="Version"
            isHidden
            value={shown.version}
            options={options}
            onSelect={(version) => setQuery({ version })}
          />
          <Select
            name="Compare with"
            isHidden
            value={other?.version}
            options={[['', 'Compare with …'], ...others]}
            onSelect={(version) => setQuery({ with: version })}
          />
        </span>
        <span class="muted small">
          mode {shown.mode} · compatibility {shown.compatibility} · registered{' '}
          <Ago value={shown.created_at} />
        </span>
      </div>
      <Loaded of={text}>{(loaded) => <VersionView shown={loaded} other={other && otherText} />}</Loaded>
    </section>
  );
}

/** Reads the text of one version: the list has rounded its numbers. */
async function schemaText(schema: Schema, signal: AbortSignal): Promise<VersionText> {
  const { version } = schema;
  const { text } = await exact(({ schemas }) => schemas.version(schema, version, { signal }));
  return { version, text: memberText(text, 'schema') ?? 'null' };
}
