/** An option of a command. Without `value` it is a flag. */
export interface Option {
  about: string;
  /** What stands for its value in the usage: `TIME`, `N`. */
  value?: string;
  short?: string;
  /** It can be given several times. */
  multiple?: true;
  /** The only values that it takes. */
  oneOf?: readonly string[];
  /** Its value is a whole number of at least 1. */
  whole?: true;
  /** What the shell completes its value with. */
  completes?: 'file' | 'profile';
}

export type Options = Readonly<Record<string, Option>>;

/** A word of a command that is no option. */
export interface Positional {
  name: string;
  about: string;
  optional?: true;
  /** It takes all words that are left. */
  many?: true;
  oneOf?: readonly string[];
}
