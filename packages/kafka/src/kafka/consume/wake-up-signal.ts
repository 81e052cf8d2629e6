/** A flag that one caller can wait for. A completed wait clears the flag, however often it was raised. */
export class WakeUpSignal {
  private set = false;
  private wake: (() => void) | undefined;

  raise(): void {
    this.set = true;
    this.wake?.();
  }

  /** Resolves true once the flag is raised, and false after the time-out. Only one caller may wait at a time. */
  async wait(timeoutMs?: number): Promise<boolean> {
    if (!this.set) {
      await new Promise<void>((resolve) => {
        const timer = timeoutMs === undefined ? undefined : setTimeout(resolve, timeoutMs);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    const raised = this.set;
    this.set = false;
    this.wake = undefined;
    return raised;
  }
}
