/** One bar: its label, its length, and the text after it (default: the value). */
export interface Bar {
  label: string;
  value: number;
  text?: string;
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** Returns horizontal bars as lines of text, the longest one `width` characters long. */
export function barChart(bars: readonly Bar[], width: number): string[] {
  const largest = Math.max(0, ...bars.map((bar) => bar.value));
  const labelWidth = Math.max(0, ...bars.map((bar) => bar.label.length));
  return bars.map((bar) => {
    const length = largest === 0 ? 0 : (Math.max(0, bar.value) / largest) * width;
    return `${bar.label.padStart(labelWidth)} ${drawn(length)} ${bar.text ?? groupDigits(bar.value)}`;
  });
}

/** Formats `1234567` as `1 234 567`. */
export function groupDigits(value: number): string {
  const [whole = '', fraction] = String(value).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ' ');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** Returns a bar of this many characters, to an eighth; a value above zero is always visible. */
function drawn(length: number): string {
  const steps = length === 0 ? 0 : Math.max(1, Math.round(length * 8));
  return '█'.repeat(Math.floor(steps / 8)) + eighths[steps % 8];
}
