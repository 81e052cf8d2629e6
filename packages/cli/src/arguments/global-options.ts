import { formNames } from '../output/form.js';
import type { Options } from './option.js';

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
};
