import type { ComponentType } from 'preact';
import { useResource } from '../app/resource.js';
import { Loaded } from './states.js';

/** Returns a view whose code is loaded when it is shown for the first time. */
export function lazy(load: () => Promise<ComponentType>): ComponentType {
  return function LazyView() {
    const view = useResource(() => load().catch(cannotLoad), []);
    return <Loaded of={view}>{(View) => <View />}</Loaded>;
  };
}

function cannotLoad(): never {
  throw new Error('The code of this view cannot be loaded. Reload the page.');
}
