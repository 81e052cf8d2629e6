/** A flag that can be waited for. Setting it twice is setting it once; waiting clears it. */
export class Signal {
  private set = false;
  private wake: (() => void) | undefined;

  raise(): void {
    this.set = true;
    this.wake?.();
  }

  /** Resolves true once it is raised, false after the time. One waiter at a time. */
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
