/** Runs checks one after the other and prints a line for each, as TAP does: `ok <name>`, `not ok <name>: <reason>`. */
export class Report {
  failed = 0;

  /** A check passes unless it throws. */
  async check(name, run) {
    try {
      await run();
      console.log(`ok ${name}`);
    } catch (error) {
      this.failed++;
      console.log(`not ok ${name}: ${String(error?.message ?? error).trim()}`);
    }
  }

  skip(name, reason) {
    console.log(`skip ${name}: ${reason}`);
  }

  /** The exit code of the process says whether all have passed. */
  end() {
    process.exitCode = this.failed > 0 ? 1 : 0;
  }
}
