/** Somebody else listens on a port by the time that a process wants to. */
const portTaken = /Address already in use|EADDRINUSE/;
const maxTries = 3;

/**
 * Runs `start`, which chooses ports itself, and again when one of them was taken between the choice and its use.
 * @throws what `start` throws: at once when it is about something else, or for the third time.
 */
export async function onOwnPorts<T>(start: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await start();
    } catch (error) {
      // A process that ends tells nothing but what it has printed.
      if (tries >= maxTries || !portTaken.test(String(error))) throw error;
    }
  }
}
