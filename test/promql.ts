const keywords = new Set([
  'and',
  'or',
  'unless',
  'bool',
  'offset',
  'inf',
  'nan',
  'by',
  'on',
  'without',
  'ignoring',
]);
keywords.add('group_left').add('group_right');

/** Returns the names of the metrics in a Prometheus query. */
export function metricsIn(query: string): string[] {
  const bare = query
    .replace(/#.*$/gm, '')
    .replace(/\{[^}]*\}/g, '')
    .replace(/"[^"]*"/g, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\b\d+(ms|[smhdwy])\b/g, '')
    // Removes labels.
    .replace(/\b(by|on|without|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ');
  const names = bare.match(/[a-zA-Z_:][a-zA-Z0-9_:]*(?!\w)(?!\s*\()/g) ?? [];
  return [...new Set(names.filter((name) => !keywords.has(name.toLowerCase())))];
}
