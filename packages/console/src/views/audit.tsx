import { usePages } from '../app/resource.js';
import { client } from '../app/session.js';
import { tributary } from '../logic/shell.js';
import { EventTable } from '../parts/event-table.js';
import { Page } from '../parts/page.js';
import { Empty, Listed } from '../parts/states.js';

/** Who changed which definition, and when. */
export function Audit() {
  const events = usePages((cursor) => client.value.audit({ order: 'desc', limit: 50, cursor }), []);
  const query = { stream: 'tributary.audit', order: 'desc' };
  const calls = [
    {
      path: '/api/v1/events/query',
      query,
      command: tributary('query', ['tributary.audit'], { order: 'desc' }),
    },
  ];
  return (
    <Page title="Audit" about="Each change of a definition, and who made it." calls={calls}>
      <Listed of={events} empty={<Empty title="Nothing has been changed yet." />}>
        {(items) => <EventTable events={items} label="Audit" />}
      </Listed>
    </Page>
  );
}
