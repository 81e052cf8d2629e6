/** The version of this package; a spec compares it with package.json. */
export const version = '0.1.0';
