/** Matches the error of a process whose port was taken by another process before it listened. */
const portTaken = /Address already in use|EADDRINUSE/;
const maxTries = 3;

/**
 * Runs `start`, which chooses ports itself, and repeats it if one of them was taken before it listened.
 * @throws the error of `start`: at once if it has another cause, or after the third attempt.
 */
export async function retryOnTakenPort<T>(start: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await start();
    } catch (error) {
      // A process that ends reports its error only in its output.
      if (tries >= maxTries || !portTaken.test(String(error))) throw error;
    }
  }
}
