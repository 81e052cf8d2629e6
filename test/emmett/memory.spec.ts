import { getInMemoryEventStore } from '@event-driven-io/emmett';
import { describe } from 'vitest';
import { itBehavesLikeAnEventStore } from './behaviours.js';

describe("emmett's event store in memory", () => {
  const store = getInMemoryEventStore();
  itBehavesLikeAnEventStore(() => store);
});
