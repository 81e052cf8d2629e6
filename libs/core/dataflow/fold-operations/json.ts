/** A JSON value. The value remains the same after JSON.stringify and JSON.parse. */
export type Json =
  null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json | undefined };
