import { ProblemError } from '#api';

/**
 * Runs work that reports errors with JSON pointers into a definition. Prefixes these pointers with the pointer to the
 * definition in the body.
 * @throws ProblemError the errors of `work`, with their pointers below `pointer`
 */
export async function pointersBelow<T>(pointer: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ProblemError) || !error.options.errors) throw error;
    const errors = error.options.errors.map((one) => ({ ...one, pointer: pointer + one.pointer }));
    throw new ProblemError(error.code, error.message, { ...error.options, errors });
  }
}
