import type { Feature } from '#app';
import { DeadLettersModule } from './dead-letters.module.js';

/** Dead letters of streams and pipelines, and their replay. */
export const deadLetters: Feature = { name: 'dead_letters', gateway: DeadLettersModule };
export { RejectedEventRevalidator } from './rejected-event-revalidator.js';
