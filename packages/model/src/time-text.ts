// Formats times for people, on every page and in mails: `31 Jul 2026, 09:05`. The explorer uses the reader's time zone.
// The server does not know that zone, so it writes UTC and says so.
const DAY = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const MINUTE = { ...DAY, hour: '2-digit', minute: '2-digit' } as const;
const FORMS = {
  day: DAY,
  minute: MINUTE,
  second: { ...MINUTE, second: '2-digit' },
  /** For the tooltip of a time. */
  zoned: { ...MINUTE, second: '2-digit', timeZoneName: 'short' },
} as const;

type Form = keyof typeof FORMS;

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Cached, because creating a formatter is slow. */
function formatter(form: Form, timeZone?: 'UTC'): Intl.DateTimeFormat {
  const key = `${form} ${timeZone}`;
  const made =
    formatters.get(key) ?? new Intl.DateTimeFormat('en-GB', { ...FORMS[form], ...(timeZone && { timeZone }) });
  formatters.set(key, made);
  return made;
}

export const timeText = (at: number, form: Form = 'minute'): string => formatter(form).format(at);

export const utcTimeText = (at: number): string => `${formatter('minute', 'UTC').format(at)} UTC`;

export const utcDayText = (at: number): string => formatter('day', 'UTC').format(at);
