/** What Nest injects where an interface, which is gone at run time, cannot be the name. */
export const READER = Symbol('EventReader');
export const SNAPSHOTS = Symbol('SnapshotStore');
export const DEFINITIONS = Symbol('Definitions');
export const WEBHOOK_RULE = Symbol('WebhookRule');

/** What is wrong with the address of a webhook, as far as it can be said before its name is resolved. */
export type WebhookRule = (url: string) => string | undefined;
