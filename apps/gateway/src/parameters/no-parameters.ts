/** A route that has no query parameters. */
export class NoParameters {}
