import { ProblemError } from '#api';

/**
 * Runs what says where in a definition something is wrong, where that stands in a member of the body.
 * @throws ProblemError what `work` throws, with its pointers below `pointer`
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
