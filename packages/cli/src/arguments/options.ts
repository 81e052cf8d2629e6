import { formNames } from '../output/formats.js';

/** An option of a command. Without `value` it is a flag. */
export interface Option {
  about: string;
  /** Placeholder of the option's value in the usage text, such as `TIME` or `N`. */
  value?: string;
  short?: string;
  /** The option can be repeated. */
  multiple?: true;
  /** The allowed values. */
  oneOf?: readonly string[];
  /** The value is an integer of at least this number. */
  least?: 0 | 1;
  /** The value is an instant: RFC 3339, `now`, or a time before now such as `15m` and `-15m`. */
  instant?: true;
  /** The kind of value that shells complete. */
  completes?: 'file' | 'profile';
}

/** The options of a command by name, without dashes. */
export type Options = Readonly<Record<string, Option>>;

/** A positional argument of a command. */
export interface Positional {
  name: string;
  about: string;
  optional?: true;
  /** The argument takes all remaining words of the command line. */
  many?: true;
  oneOf?: readonly string[];
  /** Other spellings of the allowed words. */
  also?: readonly string[];
  /** The names that shells ask the running system for: of this kind, or of the kind that the word before names. */
  completes?: 'streams' | 'keys' | 'subscriptions' | 'kind';
}

/** The words of a command, its options and its help. */
export interface CommandSyntax {
  /** The words of the command. */
  readonly name: string;
  /** A description in one sentence. */
  readonly summary: string;
  /** More text for the help of the command. */
  readonly details?: string;
  readonly positionals?: readonly Positional[];
  readonly options?: Options;
  /**
   * Whether the command only reads, changes something or destroys something. With a protected profile, `writes`
   * requires an explicit `--profile`, and `destroys` also `--confirm`.
   */
  readonly effect: 'reads' | 'writes' | 'destroys';
}

/** The options that every command accepts. */
export const globalOptions: Options = {
  output: {
    ...{ short: 'o', value: 'FORM', oneOf: formNames },
    about: 'output format; default: table on a terminal, ndjson in a pipe',
  },
  profile: { value: 'NAME', completes: 'profile', about: 'profile to use; see `tributary profile add`' },
  url: { value: 'URL', about: 'URL of the API, instead of a profile; default http://127.0.0.1:3902' },
  'ingest-url': {
    value: 'URL',
    about:
      'URL that events are written to; default: port 3901 if the URL of the API has port 3902, otherwise --url',
  },
  'key-file': {
    value: 'FILE',
    completes: 'file',
    about: 'file with the API key; only you may be able to read it (mode 0600)',
  },
  'key-command': { value: 'COMMAND', about: 'command that prints the API key' },
  trace: { about: 'write each request to standard error, without the key' },
  help: { short: 'h', about: 'show the help of the command' },
};

/** The option of commands that remove the protection of a profile. */
export const confirmProfileOption: Options = {
  confirm: { value: 'NAME', about: 'repeat the name of a protected profile to remove its protection' },
};

/** The option of commands that destroy data or definitions. */
export const confirmOption: Options = {
  confirm: { value: 'NAME', about: 'repeat the name: the operation cannot be undone' },
  yes: { short: 'y', about: 'do not ask; a protected profile needs --confirm' },
};

/** Returns an option with an instant: RFC 3339, `now`, or a time before now such as `15m` or `-15m`. */
export function instantOption(about: string): Option {
  return { value: 'TIME', instant: true, about };
}
