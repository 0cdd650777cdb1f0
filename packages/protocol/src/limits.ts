// Every limit of the service, with its default. Each is also a setting of the server.
export const LIMITS = {
  jsonBodyBytes: { default: 8 * 1024 * 1024, meaning: 'Bytes of one JSON request body.' },
  batchCalls: { default: 20, meaning: 'Procedure calls in one batch.' },
} as const;

export type LimitName = keyof typeof LIMITS;
export type Limits = Readonly<Record<LimitName, number>>;

export const DEFAULT_LIMITS = Object.fromEntries(
  Object.entries(LIMITS).map(([name, limit]) => [name, limit.default]),
) as Limits;
