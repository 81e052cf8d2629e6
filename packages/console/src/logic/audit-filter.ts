import type { EventQuery } from '#client';

/** What the audit is limited to: texts of the URL. */
interface AuditSelection {
  /** The id of a key, or `port:` and the port of callers without a key. */
  actor?: string;
  /** The beginning of an event type, such as `key.` or `key.created`. */
  action?: string;
  /** Part of what was changed, such as `stream:orders`. */
  subject?: string;
}

const port = 'port:';

/** Callers that have no key, and their names. */
export const actorsWithoutKey = [
  [`${port}core`, 'Core port, without a key'],
  [`${port}system`, 'The system'],
] as const;

/** Returns the parameters of the query that selects events of the audit. */
export function auditFilter({
  actor,
  action,
  subject,
}: AuditSelection): Pick<EventQuery, 'event_type_prefix' | 'where'> {
  const conditions = [
    actor !== undefined && actorCondition(actor),
    subject !== undefined && `event.entity_id.contains(${JSON.stringify(subject)})`,
  ];
  return { event_type_prefix: action, where: conditions.filter(Boolean).join(' && ') || undefined };
}

function actorCondition(actor: string): string {
  if (!actor.startsWith(port)) return `event.metadata.key_id == ${JSON.stringify(actor)}`;
  return `event.metadata.key_id == null && event.metadata.port == ${JSON.stringify(actor.slice(port.length))}`;
}

/** Returns how the filter names the actor of an event of the audit. */
export function actorOf(metadata: unknown): string {
  const { key_id, port: name } = metadata as { key_id?: string | null; port?: string };
  return key_id ?? `${port}${name ?? ''}`;
}
