// How times are written for people, on every page and in mails: `31 Jul 2026, 09:05`. The explorer writes them by the clock of
// who reads; what the server writes, which does not know that clock, says that it is UTC.
const DAY = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const MINUTE = { ...DAY, hour: '2-digit', minute: '2-digit' } as const;
const FORMS = {
  day: DAY,
  minute: MINUTE,
  second: { ...MINUTE, second: '2-digit' },
  /** For who points at a time. */
  zoned: { ...MINUTE, second: '2-digit', timeZoneName: 'short' },
} as const;

type Form = keyof typeof FORMS;

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Made once each, as making one takes long. */
function formatter(form: Form, timeZone?: 'UTC'): Intl.DateTimeFormat {
  const key = `${form} ${timeZone}`;
  const made =
    formatters.get(key) ?? new Intl.DateTimeFormat('en-GB', { ...FORMS[form], ...(timeZone && { timeZone }) });
  formatters.set(key, made);
  return made;
}

/** By the clock of who reads. */
export const timeText = (at: number, form: Form = 'minute'): string => formatter(form).format(at);

export const utcTimeText = (at: number): string => `${formatter('minute', 'UTC').format(at)} UTC`;

export const utcDayText = (at: number): string => formatter('day', 'UTC').format(at);
