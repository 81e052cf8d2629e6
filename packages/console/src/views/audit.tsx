import { usePages } from '../app/resource.js';
import { client } from '../app/session.js';
import { useTimeRange } from '../app/time-range.js';
import { tributary } from '../logic/shell.js';
import { requestTimes } from '../logic/time-range.js';
import { EventTable, eventKey } from '../parts/event-table.js';
import { Page } from '../parts/page.js';
import { RangeBar } from '../parts/range-bar.js';
import { Listed } from '../parts/states.js';

const order = 'desc';
const stream = 'tributary.audit';

/** Who changed which definition, and when. */
export function Audit() {
  const times = useTimeRange();
  const { range, bounds, asOf, isValid } = times;
  const events = usePages(
    (cursor, limit = 50) => client.value.audit({ ...bounds, order, limit, cursor }),
    [range],
    { skip: !isValid, asOf, keyOf: eventKey },
  );
  const inRange = requestTimes(range, asOf);
  const command = tributary('query', [stream], { ...inRange, order });
  return (
    <Page
      title="Audit"
      about="Each change of a definition, and who made it."
      calls={[['/api/v1/events/query', { stream, ...inRange, order }, command]]}
    >
      <RangeBar times={times} />
      {isValid && (
        <Listed
          of={events}
          empty={range.name === 'all' ? 'Nothing has been changed yet.' : 'Nothing was changed in the range.'}
        >
          {(items) => <EventTable events={items} label="Audit" />}
        </Listed>
      )}
    </Page>
  );
}
