const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const;

/** `1.4 MB`. */
export function bytesText(bytes: number): string {
  const power = bytes < 1_000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const amount = bytes / 1_000 ** power;
  return `${amount.toLocaleString('en', { maximumFractionDigits: power === 0 ? 0 : 1 })} ${UNITS[power]}`;
}

/** `1 record`, `20,019 records`. */
export const recordsText = (count: number): string =>
  count === 1 ? '1 record' : `${count.toLocaleString('en')} records`;
