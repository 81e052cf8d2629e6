import type { Stream } from '#client';

/** The texts of the fields for a retention, each empty for no limit. */
export interface RetentionForm {
  /** A duration of the API, such as `30d`. */
  time: string;
  /** A number of bytes, with or without a unit, such as `10 GiB`. */
  bytes: string;
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Returns the retention that a form gives. @throws Error a size is not valid */
export function retentionOf({ time, bytes }: RetentionForm): Stream['retention'] {
  const limits = {
    ...(time.trim() !== '' && { time: time.trim() }),
    ...(bytes.trim() !== '' && { bytes: bytesOf(bytes) }),
  };
  return Object.keys(limits).length === 0 ? 'unlimited' : limits;
}

function bytesOf(text: string): number {
  const [, number, unit = 'B'] = /^(\d+(?:\.\d+)?)\s*(B|[KMGT]iB)?$/.exec(text.trim()) ?? [];
  const bytes = Math.round(Number(number) * 1024 ** units.indexOf(unit));
  if (!Number.isSafeInteger(bytes) || bytes < 1)
    throw new Error(
      `“${text.trim()}” is not a size. Write a number of bytes, or one with KiB, MiB, GiB or TiB.`,
    );
  return bytes;
}

/** Returns the texts of a retention, with the largest unit that is exact. */
export function retentionForm(retention: Stream['retention']): RetentionForm {
  const { time = '', bytes } = retention === 'unlimited' ? {} : retention;
  return { time, bytes: bytes === undefined ? '' : sizeText(bytes) };
}

function sizeText(bytes: number): string {
  const power = units.findLastIndex((_, i) => bytes % 1024 ** i === 0);
  return `${bytes / 1024 ** power} ${units[power]}`;
}
