export { ActiveWork, activeWork } from './active-work.js';
export { watchEventLoop } from './watchdog.js';
