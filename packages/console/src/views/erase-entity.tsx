import { useAction } from '../app/resource.js';
import { hrefOf, navigate } from '../app/router.js';
import { client } from '../app/session.js';
import { Confirm } from '../parts/confirm.js';

export function EraseEntity({ stream, id }: { stream: string; id: string }) {
  const action = useAction(async () => {
    await client.value.entities.erase({ stream, entity_id: id }, { confirm: id });
    navigate(hrefOf(['streams', stream]));
  });
  return (
    <Confirm label="Erase" title="Erase this entity" typed={id} danger action={action}>
      <p>
        All events of the entity are removed permanently. Projections and pipelines read the stream again.
      </p>
    </Confirm>
  );
}
