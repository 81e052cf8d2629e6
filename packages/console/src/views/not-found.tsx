import { hrefOf } from '../app/router.js';
import { Page } from '../parts/page.js';
import { Empty } from '../parts/states.js';

export function NotFound() {
  return (
    <Page title="Not found" calls={[]}>
      <Empty title="There is no view at this address.">
        <a href={hrefOf([])}>Go to the overview</a>
      </Empty>
    </Page>
  );
}
