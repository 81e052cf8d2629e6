import { useStack } from '../use-stack.js';
import { useSixtyEvents } from './sixty-events.js';

/** The system of the specs in this folder, which send requests and break nothing. */
export const system = useStack({ sql: true });

/** The first events of the system. */
export const sixtyEvents = useSixtyEvents(system);
