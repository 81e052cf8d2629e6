import { usePages } from '../app/resource.js';
import { hrefOf } from '../app/router.js';
import { client } from '../app/session.js';
import { tributary } from '../logic/shell.js';
import { Page } from '../parts/page.js';
import { Empty, Listed } from '../parts/states.js';
import { Table } from '../parts/table.js';
import { Ago, Count, Status } from '../parts/values.js';

const columns = [
  { name: 'Pipeline' },
  { name: 'Status' },
  { name: 'Streams' },
  { name: 'Processed', isNumber: true },
  { name: 'Emitted', isNumber: true },
  { name: 'Late', isNumber: true },
  { name: 'Failed', isNumber: true },
  { name: 'Lag', isNumber: true },
  { name: 'Watermark' },
];

export function PipelinesView() {
  const pipelines = usePages((cursor) => client.value.pipelines.list({ cursor }), [], { everyMs: 10_000 });
  const calls = [{ path: '/api/v1/pipelines', command: tributary('get', ['pipelines']) }];
  return (
    <Page title="Pipelines" about="Operators between streams." calls={calls}>
      <Listed
        of={pipelines}
        empty={
          <Empty title="There are no pipelines yet.">
            Define one with POST /api/v1/pipelines or `npx tributary apply`.
          </Empty>
        }
      >
        {(items) => (
          <Table label="Pipelines" columns={columns}>
            {items.map((one) => (
              <tr key={one.name}>
                <th scope="row">
                  <a href={hrefOf(['pipelines', one.name])}>{one.name}</a>
                </th>
                <td>
                  <Status value={one.status} />
                </td>
                <td>{one.source.streams.join(', ')}</td>
                {[one.processed, one.emitted, one.late, one.failed, one.lag].map((count, i) => (
                  <td key={i} class="number">
                    <Count value={count} />
                  </td>
                ))}
                <td>
                  <Ago value={one.watermark} />
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Listed>
    </Page>
  );
}
