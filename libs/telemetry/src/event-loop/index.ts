export { ActiveWork, activeWork, type WorkItem } from './active-work.js';
export { watchEventLoop } from './watchdog.js';
