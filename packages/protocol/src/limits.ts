// Every limit of the service, with its default. Each is also a setting of the server.
export const LIMITS = {
  jsonBodyBytes: { default: 8 * 1024 * 1024, meaning: 'Bytes of one JSON request body.' },
  dataBytes: { default: 1024 * 1024, meaning: "Bytes of one record's data." },
  dataDepth: { default: 64, meaning: "Levels of nesting in one record's data." },
  commitOperations: { default: 10_000, meaning: 'Operations in one commit.' },
  commitReferences: { default: 50_000, meaning: 'References to records in one commit.' },
  commitRepositories: { default: 1_000, meaning: 'Other repositories that one commit refers to.' },
  answerBytes: { default: 8 * 1024 * 1024, meaning: 'Bytes of data in one answer; lists are cut there and go on.' },
  readWrefs: { default: 500, meaning: 'Wrefs in one batch read.' },
  // The SDK sends up to 20: a lower limit would refuse it.
  batchCalls: { default: 20, min: 20, meaning: 'Procedure calls in one batch.' },
} as const;

export type LimitName = keyof typeof LIMITS;
export type Limits = Readonly<Record<LimitName, number>>;

export const DEFAULT_LIMITS = Object.fromEntries(
  Object.entries(LIMITS).map(([name, limit]) => [name, limit.default]),
) as Limits;
