import { useState } from 'preact/hooks';
import { hrefOf, navigate } from '../app/router.js';

/** Opens the view of an entity by its id. */
export function EntityFinder({ stream }: { stream: string }) {
  const [id, setId] = useState('');
  return (
    <form
      class="inline"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        if (id !== '') navigate(hrefOf(['entity'], { stream, id }));
      }}
    >
      <label>
        <span class="sr">Entity id</span>
        <input
          value={id}
          placeholder="Entity id"
          spellcheck={false}
          onInput={(event) => setId(event.currentTarget.value)}
        />
      </label>
      <button type="submit">Open entity</button>
    </form>
  );
}
