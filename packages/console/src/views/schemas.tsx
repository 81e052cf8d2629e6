import type { Schema } from '#client';
import { exact } from '../app/exact-answer.js';
import { usePages, useResource } from '../app/resource.js';
import { hrefOf, place, setQuery } from '../app/router.js';
import { client } from '../app/session.js';
import { memberText } from '../logic/json-tree.js';
import { tributary } from '../logic/shell.js';
import { one } from '../logic/url-state.js';
import { Diff } from '../parts/diff.js';
import { JsonTree } from '../parts/json-view.js';
import { Page } from '../parts/page.js';
import { Empty, Listed, Loaded } from '../parts/states.js';
import { Table } from '../parts/table.js';
import { Ago, Text } from '../parts/values.js';
import { NotFound } from './not-found.js';
import { CheckData, CheckSchema } from './schema-checks.js';

const columns = [
  { name: 'Stream' },
  { name: 'Event type' },
  { name: 'Version', isNumber: true },
  { name: 'Mode' },
  { name: 'Compatibility' },
  { name: 'Created' },
];

export function SchemasView() {
  const schemas = usePages((cursor) => client.value.schemas.list({ cursor }), []);
  const calls = [{ path: '/api/v1/schemas', command: tributary('get', ['schemas']) }];
  return (
    <Page title="Schemas" about="JSON Schemas that events are checked with." calls={calls}>
      <Listed
        of={schemas}
        empty={
          <Empty title="There are no schemas yet.">
            Register one with POST /api/v1/schemas or `npx tributary apply`.
          </Empty>
        }
      >
        {(items) => (
          <Table label="Schemas" columns={columns}>
            {items.map(({ stream, event_type, version, mode, compatibility, created_at }) => (
              <tr key={`${stream} ${event_type}`}>
                <td>
                  <a href={hrefOf(['streams', stream])}>{stream}</a>
                </td>
                <th scope="row">
                  <a href={hrefOf(['schema'], { stream, type: event_type })}>
                    <Text value={event_type} />
                  </a>
                </th>
                <td class="number">{version}</td>
                <td>{mode}</td>
                <td>{compatibility}</td>
                <td>
                  <Ago value={created_at} />
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Listed>
    </Page>
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
          <label>
            <span class="sr">Version</span>
            <select
              value={shown.version}
              onChange={(event) => setQuery({ version: event.currentTarget.value })}
            >
              {versions.map(option)}
            </select>
          </label>
          <label>
            <span class="sr">Compare with</span>
            <select
              value={other?.version ?? ''}
              onChange={(event) => setQuery({ with: event.currentTarget.value })}
            >
              <option value="">Compare with …</option>
              {versions.filter((version) => version !== shown).map(option)}
            </select>
          </label>
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
