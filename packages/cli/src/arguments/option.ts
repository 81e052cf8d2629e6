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
}
