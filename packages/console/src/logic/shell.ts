/** A GET request to the API, and its command of the command line. */
export type Call = readonly [path: string, query?: object, command?: string];

/** A value of a parameter or an option. */
type Value = string | number | boolean | null | undefined;

interface CommandTarget {
  origin: string;
  /** Whether the port requires a key. The command reads it from the environment and never contains it. */
  keys: boolean;
}

/** Returns a word for a POSIX shell: unchanged if it is safe, else in single quotes. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Returns query parameters; a list is repeated, undefined members are left out. */
export function queryString(query: object = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of [value].flat() as Value[])
      if (one !== undefined && one !== null && one !== '') parameters.append(name, String(one));
  const text = parameters.toString();
  return text && `?${text}`;
}

/** Returns the `curl` command of a request. */
export function curlOf([path, query]: Call, { origin, keys }: CommandTarget): string {
  const command = `curl -s ${shellWord(origin + path + queryString(query))}`;
  return keys ? `${command} -H "authorization: Bearer $TRIBUTARY_KEY"` : command;
}

/** Returns a command of the command line. An undefined value leaves its option out; a list repeats it. */
export function tributary(command: string, words: readonly string[], options: object = {}): string {
  const shown = ['npx', 'tributary', command, ...words.map(shellWord)];
  for (const [name, value] of Object.entries(options))
    for (const one of [value].flat() as Value[]) {
      if (one === true) shown.push(`--${name}`);
      else if (one !== undefined && one !== null && one !== '' && one !== false)
        shown.push(optionWords(name, String(one)));
    }
  return shown.join(' ');
}

function optionWords(name: string, value: string): string {
  return value.startsWith('-') ? `--${name}=${shellWord(value)}` : `--${name} ${shellWord(value)}`;
}
