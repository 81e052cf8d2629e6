import { usePages } from '../app/resource.js';
import { hrefOf } from '../app/router.js';
import { client } from '../app/session.js';
import { tributary } from '../logic/shell.js';
import { Page } from '../parts/page.js';
import { Empty, Listed } from '../parts/states.js';
import { Table } from '../parts/table.js';
import { Ago, Count, Status } from '../parts/values.js';

const columns = [
  { name: 'Projection' },
  { name: 'Status' },
  { name: 'Streams' },
  { name: 'Processed', isNumber: true },
  { name: 'Failed', isNumber: true },
  { name: 'Lag', isNumber: true },
  { name: 'Updated' },
];

export function ProjectionsView() {
  const projections = usePages((cursor) => client.value.projections.list({ cursor }), [], {
    everyMs: 10_000,
  });
  const calls = [{ path: '/api/v1/projections', command: tributary('get', ['projections']) }];
  return (
    <Page title="Projections" about="States that are computed from events, one for each key." calls={calls}>
      <Listed
        of={projections}
        empty={
          <Empty title="There are no projections yet.">
            Define one with POST /api/v1/projections or `npx tributary apply`.
          </Empty>
        }
      >
        {(items) => (
          <Table label="Projections" columns={columns}>
            {items.map((one) => (
              <tr key={one.name}>
                <th scope="row">
                  <a href={hrefOf(['projections', one.name])}>{one.name}</a>
                </th>
                <td>
                  <Status value={one.status} />
                </td>
                <td>{one.source.streams.join(', ')}</td>
                <td class="number">
                  <Count value={one.processed} />
                </td>
                <td class="number">
                  <Count value={one.failed} />
                </td>
                <td class="number">
                  <Count value={one.lag} />
                </td>
                <td>
                  <Ago value={one.updated_at} />
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Listed>
    </Page>
  );
}
