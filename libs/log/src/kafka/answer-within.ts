import { LogUnavailableError } from '../errors.js';

/** The answer. @throws LogUnavailableError when it takes longer than so many milliseconds, and what the answer rejects with */
export async function answerWithin<T>(ms: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new LogUnavailableError('no answer in time')), Math.max(ms, 1));
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
