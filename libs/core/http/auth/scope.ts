/**
 * The permissions that a key can have. Each route requires one. No scope includes another: a key lists all its scopes.
 */
export const scopes = [
  'events:read',
  'events:write',
  'definitions:read',
  'definitions:write',
  'sql:read',
  'admin',
] as const;

/** A permission of an API key, such as `events:read`. */
export type KeyScope = (typeof scopes)[number];

export function isScope(text: string): text is KeyScope {
  return (scopes as readonly string[]).includes(text);
}
