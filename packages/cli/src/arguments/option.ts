/** An option of a command. Without `value` it is a flag. */
export interface Option {
  about: string;
  /** The placeholder of its value in the usage: `TIME`, `N`. */
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

export type Options = Readonly<Record<string, Option>>;

/** A positional argument of a command. */
export interface Positional {
  name: string;
  about: string;
  optional?: true;
  /** It takes all remaining words. */
  many?: true;
  oneOf?: readonly string[];
}
