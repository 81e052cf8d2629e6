/** What a key may do. Each route names the one it needs; no scope contains another, a key lists all it has. */
export const scopes = [
  'events:read',
  'events:write',
  'definitions:read',
  'definitions:write',
  'sql:read',
  'admin',
] as const;

export type Scope = (typeof scopes)[number];

export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text);
}
