import { usePages } from '../app/resource.js';
import { client } from '../app/session.js';
import { tributary } from '../logic/shell.js';
import { EventTable } from '../parts/event-table.js';
import { Page } from '../parts/page.js';
import { Listed } from '../parts/states.js';

const order = 'desc';
const stream = 'tributary.audit';
const command = tributary('query', [stream], { order });

/** Who changed which definition, and when. */
export function Audit() {
  const events = usePages((cursor) => client.value.audit({ order, limit: 50, cursor }), []);
  return (
    <Page
      title="Audit"
      about="Each change of a definition, and who made it."
      calls={[['/api/v1/events/query', { stream, order }, command]]}
    >
      <Listed of={events} empty="Nothing has been changed yet.">
        {(items) => <EventTable events={items} label="Audit" />}
      </Listed>
    </Page>
  );
}
