/**
 * Loaded into an app by a fault spec (`node --import`). The wall clock of the app is `CLOCK_BACK_MS` behind, and
 * steps back by an hour at each SIGUSR2, like a clock that is set manually or by NTP.
 */
const real = Date.now;
let back = Number(process.env.CLOCK_BACK_MS ?? 0);

Date.now = () => real() - back;
process.on('SIGUSR2', () => {
  back += 3_600_000;
  process.stdout.write('{"level":"info","msg":"the wall clock has stepped back"}\n');
});
