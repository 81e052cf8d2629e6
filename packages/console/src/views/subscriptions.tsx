import { useState } from 'preact/hooks';
import type { SubscriptionWithStats } from '#client';
import { useMay } from '../app/permissions.js';
import { useAction, usePages, useResource } from '../app/resource.js';
import { hrefOf, parameter } from '../app/router.js';
import { client, exact } from '../app/session.js';
import { grouped } from '../logic/format.js';
import { withMembers } from '../logic/pretty-json.js';
import { tributary } from '../logic/shell.js';
import { Confirm } from '../parts/confirm.js';
import { Field, Select, TextInput } from '../parts/form.js';
import { Definition } from '../parts/json-view.js';
import { refreshMs } from '../parts/list.js';
import { ListPage, Page } from '../parts/page.js';
import { Loaded } from '../parts/states.js';
import { numberColumn, type Column } from '../parts/table.js';
import { Ago, Count, type Fact, Facts, Link, Status, Text, titleOf } from '../parts/values.js';
import { EditDefinition, NewDefinition } from './definition-editor.js';
import { DefinitionActions, Failure, NewButton } from './job.js';
import { ParkedEvents } from './parked-events.js';

const counts = ['outstanding', 'retrying', 'waiting', 'parked', 'lag'] as const;

const columns: readonly Column<SubscriptionWithStats>[] = [
  {
    name: 'Subscription',
    isHeading: true,
    value: ({ name }) => name,
    cell: ({ name }) => <Link href={hrefOf(['subscriptions', name])} text={name} />,
  },
  { name: 'Status', value: ({ status }) => status, cell: ({ status }) => <Status value={status} /> },
  { name: 'Streams', value: streamsText, cell: (one) => <Text value={streamsText(one)} /> },
  { name: 'Order', value: ({ order }) => order, cell: ({ order }) => order },
  ...counts.map((name) => numberColumn<SubscriptionWithStats>(titleOf(name), (one) => one[name])),
  {
    name: 'Oldest outstanding',
    value: ({ oldest_outstanding_at }) => oldest_outstanding_at,
    cell: ({ oldest_outstanding_at }) => <Ago value={oldest_outstanding_at} />,
  },
];

function streamsText({ source }: SubscriptionWithStats): string {
  return source.streams.join(', ');
}

export function SubscriptionsView() {
  return parameter('new') === undefined ? <List /> : <NewDefinition kind="subscriptions" />;
}

function List() {
  const list = usePages((cursor) => client.value.subscriptions.list({ cursor, limit: 500 }), [], {
    everyMs: refreshMs,
  });
  return (
    <ListPage
      title="Subscriptions"
      about="Hand events to workers over HTTP, one by one."
      of={list}
      columns={columns}
      keyOf={({ name }) => name}
      textOf={({ name }) => name}
      isFolded
      actions={<NewButton kind="subscriptions" />}
      empty="There are no subscriptions yet."
      hint="Define one with PUT /api/v1/subscriptions/NAME or `npx tributary apply`."
    />
  );
}

const definitionMembers = [
  ...['source', 'from', 'order', 'parked_blocks', 'ack_within', 'retry', 'max_outstanding'],
];

/** One subscription: what it has handed out, and its parked events. */
export function SubscriptionView({ name }: { name: string }) {
  const load = (signal: AbortSignal) => exact(({ subscriptions }) => subscriptions.get(name, { signal }));
  const detail = useResource(load, [name], { everyMs: 5_000 });
  const isEditing = useMay('definitions:write') && parameter('edit') !== undefined;
  const path = `/api/v1/subscriptions/${encodeURIComponent(name)}`;
  const command = tributary('get', ['subscriptions', name]);
  return (
    <Page
      title={name}
      calls={[
        [path, undefined, command],
        [`${path}/parked`, { limit: 100 }],
      ]}
      actions={
        !isEditing && (
          <DefinitionActions kind="subscriptions" of={detail}>
            {detail.data && <Seek subscription={detail.data.value} onMoved={detail.reload} />}
          </DefinitionActions>
        )
      }
    >
      <Loaded of={detail}>
        {({ value, text }) =>
          isEditing ? (
            <EditDefinition
              kind="subscriptions"
              saved={{ name, version: value.version, text: withMembers(text, definitionMembers) }}
              onSaved={detail.reload}
            />
          ) : (
            <>
              <Facts of={factsOf(value)} isRow />
              <Failure text={value.failure} />
              <Definition text={text} members={definitionMembers} />
              <ParkedEvents name={name} count={value.parked} onChanged={detail.reload} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function factsOf(subscription: SubscriptionWithStats): Fact[] {
  return [
    ['Status', <Status value={subscription.status} />],
    ['Version', subscription.version],
    ['Order', subscription.order],
    ...counts.map((name): Fact => [titleOf(name), <Count value={subscription[name]} />]),
    ['Oldest outstanding', <Ago value={subscription.oldest_outstanding_at} />],
  ];
}

const positions = [
  ['now', 'Now: the next event'],
  ['beginning', 'The beginning'],
  ['time', 'A time'],
] as const;

interface SeekProps {
  subscription: SubscriptionWithStats;
  /** Resolves when the new numbers are shown. */
  onMoved: () => Promise<void>;
}

/** Moves a subscription, after it has said what is forgotten. */
function Seek({ subscription: { name, outstanding, retrying, waiting, parked }, onMoved }: SeekProps) {
  const [to, setTo] = useState('now');
  const [time, setTime] = useState('-1h');
  const seek = useAction(async () => {
    await client.value.subscription(name).seek(to === 'time' ? time.trim() : to);
    await onMoved();
  });
  return (
    <Confirm label="Seek" title={`Move ${name}`} danger action={seek}>
      <p>
        The subscription forgets what it has now, which cannot be undone: {grouped(outstanding)} outstanding,{' '}
        {grouped(retrying)} retrying, {grouped(waiting)} waiting and {grouped(parked)} parked events. Workers
        cannot acknowledge the events that they have.
      </p>
      <p>
        {to === 'now'
          ? 'Events that are stored already are not handed out.'
          : 'Events after this position are handed out again, also those that were acknowledged.'}
      </p>
      <div class="inline">
        <Select name="Continue at" value={to} options={positions} onSelect={setTo} />
        {to === 'time' && (
          <Field name="Time">
            <TextInput value={time} onText={setTime} placeholder="-1h, or 2026-11-28T10:00:00Z" />
          </Field>
        )}
      </div>
    </Confirm>
  );
}
