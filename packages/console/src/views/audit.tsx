import type { ApiKey, StoredEvent } from '#client';
import { usePages, useResource } from '../app/resource.js';
import { hrefOf, parameter, setQuery } from '../app/router.js';
import { client } from '../app/session.js';
import { useTimeRange } from '../app/time-range.js';
import { actorOf, actorsWithoutKey, auditFilter } from '../logic/audit-filter.js';
import { tributary } from '../logic/shell.js';
import { requestTimes } from '../logic/time-range.js';
import { EventDetail, eventKey } from '../parts/event-table.js';
import { Form, Select, UrlField } from '../parts/form.js';
import { JsonLine } from '../parts/json-view.js';
import { List } from '../parts/list.js';
import { Page } from '../parts/page.js';
import { RangeBar } from '../parts/range-bar.js';
import type { Column } from '../parts/table.js';
import { Link, Text, Time } from '../parts/values.js';

const order = 'desc';
const stream = 'tributary.audit';

/** Who changed which definition, and when. The API applies the filters. */
export function Audit() {
  const [actor, action, subject] = [parameter('actor'), parameter('action'), parameter('subject')];
  const filter = auditFilter({ actor, action, subject });
  const times = useTimeRange({ range: 'all', refresh: '15s', hasAll: true });
  const { range, bounds, asOf, isValid } = times;
  const events = usePages(
    (cursor, limit = 200) => client.value.audit({ ...filter, ...bounds, order, limit, cursor }),
    [filter, range],
    { skip: !isValid, asOf, keyOf: eventKey },
  );
  const keys = useResource((signal) => client.value.keys.list({ limit: 1_000 }, { signal }).first(), []);
  const names = keyNames(keys.data?.items ?? []);
  const { event_type_prefix, where } = filter;
  const inRange = requestTimes(range, asOf);
  const command = tributary('query', [stream], {
    ...inRange,
    order,
    'type-prefix': event_type_prefix,
    where,
  });
  const nameOf = (event: StoredEvent) => {
    const actor = actorOf(event.metadata);
    return names.get(actor) ?? actor;
  };
  return (
    <Page
      title="Audit"
      about="Each change of a definition, and who made it."
      calls={[['/api/v1/events/query', { stream, ...inRange, order, ...filter }, command]]}
    >
      <RangeBar times={times} />
      {isValid && (
        <List
          label="Audit"
          of={{ ...events, loadedAt: undefined }}
          columns={auditColumns(nameOf)}
          keyOf={eventKey}
          textOf={(event) =>
            [event.event_type, event.entity_id, nameOf(event), actorOf(event.metadata)].join(' ')
          }
          detail={(event) => <EventDetail event={event} />}
          empty={
            range.name !== 'all' || Object.values(filter).some(Boolean)
              ? 'No change matches.'
              : 'Nothing has been changed yet.'
          }
          filters={
            <Form class="inline">
              <Select
                name="Actor"
                isHidden
                value={actor}
                options={[['', 'Any actor'], ...actorsOf(names, actor)]}
                onSelect={(actor) => setQuery({ actor })}
              />
              <UrlField name="Action" isHidden of="action" placeholder="Action: key.created" />
              <UrlField name="Subject" isHidden of="subject" placeholder="Subject: stream:orders" />
            </Form>
          }
        />
      )}
    </Page>
  );
}

/** Returns the names of keys and of callers without a key, by how the filter names them. */
function keyNames(keys: readonly ApiKey[]): ReadonlyMap<string, string> {
  return new Map([...actorsWithoutKey, ...keys.map(({ key_id, name }) => [key_id, name] as const)]);
}

/** Returns the actors to choose from; the chosen one is among them, also if its key is not listed. */
function actorsOf(names: ReadonlyMap<string, string>, chosen: string | undefined) {
  const known = [...names].map(([id, name]) => [id, id.includes(':') ? name : `${name} (${id})`] as const);
  return chosen === undefined || names.has(chosen) ? known : [...known, [chosen, chosen] as const];
}

function auditColumns(nameOf: (event: StoredEvent) => string): readonly Column<StoredEvent>[] {
  return [
    {
      name: 'Time (UTC)',
      class: 'nowrap',
      opensRow: true,
      value: ({ timestamp }) => timestamp,
      cell: ({ timestamp }) => <Time value={timestamp} />,
    },
    {
      name: 'Actor',
      class: 'entity',
      value: nameOf,
      cell: (event) => (
        <Link href={hrefOf(['audit'], { actor: actorOf(event.metadata) })} text={nameOf(event)} />
      ),
    },
    {
      name: 'Action',
      value: ({ event_type }) => event_type,
      cell: ({ event_type }) => <Text value={event_type} />,
    },
    {
      name: 'Subject',
      class: 'entity',
      value: ({ entity_id }) => entity_id,
      cell: ({ entity_id }) => (
        <Link href={hrefOf(['entity'], { stream, id: entity_id! })} text={entity_id ?? '–'} />
      ),
    },
    { name: 'Change', class: 'data', cell: ({ dataText }) => <JsonLine text={dataText} /> },
  ];
}
