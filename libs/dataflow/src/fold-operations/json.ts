/** What JSON text says: a state goes through JSON.stringify and JSON.parse and comes back the same. */
export type Json =
  null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json | undefined };
