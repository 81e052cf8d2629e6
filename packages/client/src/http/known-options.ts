/** Refuses an option that does not exist, such as a misspelt one, which would have no effect. @throws TypeError */
export function requireKnownOptions(of: string, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new TypeError(`${of} has no option "${unknown}". The options are: ${known.join(', ')}.`);
}

/** @throws TypeError unless the value is an HTTP URL */
export function requireHttpUrl(name: string, url: unknown): void {
  if (typeof url === 'string' && /^https?:\/\/./i.test(url)) return;
  const example = `{ ${name}: 'http://127.0.0.1:3902' }`;
  throw new TypeError(`${name} must be a URL that begins with http:// or https://, such as ${example}.`);
}
