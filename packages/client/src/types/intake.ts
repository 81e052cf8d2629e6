/**
 * What happens to refused events of a request. `lenient` keeps them as dead letters and writes the rest. `strict`
 * does not keep them.
 */
export type RejectedEventHandling = 'lenient' | 'strict';

/** A CloudEvent of version 1.0 in the JSON format. Other members are extension attributes. */
export interface CloudEvent {
  specversion: string;
  id: string;
  source: string;
  type: string;
  [attribute: string]: unknown;
}
