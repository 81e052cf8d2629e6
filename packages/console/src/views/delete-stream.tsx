import { useAction } from '../app/resource.js';
import { hrefOf, navigate } from '../app/router.js';
import { client } from '../app/session.js';
import { Confirm } from '../parts/confirm.js';

export function DeleteStream({ stream }: { stream: string }) {
  const action = useAction(async () => {
    await client.value.streams.delete(stream, { confirm: stream });
    navigate(hrefOf(['streams']));
  });
  return (
    <Confirm label="Delete" title="Delete this stream" typed={stream} danger action={action}>
      <p>All events of the stream are removed. This cannot be undone.</p>
    </Confirm>
  );
}
