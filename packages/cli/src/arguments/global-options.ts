import { formNames } from '../output/form.js';
import type { Options } from './option.js';

/** Options of every command. */
export const globalOptions: Options = {
  output: {
    ...{ short: 'o', value: 'FORM', oneOf: formNames },
    about: 'form of the output; default: table on a terminal, ndjson in a pipe',
  },
  profile: { value: 'NAME', completes: 'profile', about: 'profile to use; see `tributary profile add`' },
  url: { value: 'URL', about: 'address of the API, instead of a profile; default http://127.0.0.1:3902' },
  'ingest-url': {
    value: 'URL',
    about: 'address that events are written to; default: the port 3901 beside 3902, or --url',
  },
  'key-file': {
    value: 'FILE',
    completes: 'file',
    about: 'file with the API key, which only you can read (mode 0600)',
  },
  'key-command': { value: 'COMMAND', about: 'command that prints the API key' },
  trace: { about: 'write each request to standard error, without the key' },
  help: { short: 'h', about: 'show how the command is used' },
};

/** The option of commands that end the protection of a profile. */
export const confirmProfileOption: Options = {
  confirm: { value: 'NAME', about: 'name a protected profile once more, to end its protection' },
};

/** The option of commands that destroy something. */
export const confirmOption: Options = {
  confirm: { value: 'NAME', about: 'name what is destroyed once more: there is no way back' },
};
