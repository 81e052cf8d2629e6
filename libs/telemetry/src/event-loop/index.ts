export { UnderWay, underWay, type Work } from './under-way.js';
export { watchEventLoop } from './watchdog.js';
