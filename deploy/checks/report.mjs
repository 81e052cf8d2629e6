/** Runs checks and prints a line like TAP for each: `ok <name>`, `not ok <name>: <reason>` or `skip <name>: <reason>`. */
export class Report {
  failed = 0;

  /** Runs a check, which passes unless `run` throws. */
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

  /** Sets the exit code of the process: 0 if all checks have passed, else 1. */
  end() {
    process.exitCode = this.failed > 0 ? 1 : 0;
  }
}
