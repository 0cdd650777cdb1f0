// Every limit of the service, with its default. Each is also a setting of the server.
export const LIMITS = {
  jsonBodyBytes: { default: 8 * 1024 * 1024, meaning: 'Bytes of one JSON request body.' },
  bodyMs: { default: 300_000, meaning: 'Milliseconds within which a request body must arrive, except streams.' },
  requestMs: {
    default: 30_000,
    meaning:
      'Milliseconds within which a request must be answered, not counting the time for its body; afterwards the answer is 503. For streams and downloads, the limit applies to each database statement.',
  },
  headersMs: { default: 60_000, meaning: 'Milliseconds within which the headers of a request must arrive.' },
  addressConnections: {
    default: 1_000,
    min: 0,
    meaning: 'Simultaneous connections from one address to one process, except from trusted proxies; 0 for no limit.',
  },
  dataBytes: { default: 1024 * 1024, meaning: "Bytes of one record's data." },
  dataDepth: { default: 64, meaning: "Levels of nesting in one record's data." },
  commitOperations: { default: 10_000, meaning: 'Operations in one commit.' },
  commitReferences: { default: 50_000, meaning: 'References to records in one commit.' },
  commitRepositories: { default: 1_000, meaning: 'Other repositories that one commit refers to.' },
  answerBytes: { default: 8 * 1024 * 1024, meaning: 'Bytes of data in one answer; longer lists have more pages.' },
  toolAnswerBytes: {
    default: 2 * 1024 * 1024,
    meaning: 'Bytes of data in one answer of a tool, which contains its data twice.',
  },
  anonymousBodyBytes: { default: 256 * 1024, meaning: 'Bytes of one JSON request body without a credential.' },
  bodiesBytes: {
    default: 64 * 1024 * 1024,
    meaning: 'Bytes of unfinished request bodies in one process; the first 64 KiB of each do not count.',
  },
  callerBodiesBytes: {
    default: 32 * 1024 * 1024,
    meaning: 'Bytes of unfinished request bodies of one account, or of one address without a credential.',
  },
  readWrefs: { default: 500, meaning: 'Wrefs in one batch read.' },
  // The SDK sends up to 20: a lower limit would refuse it.
  batchCalls: { default: 20, min: 20, meaning: 'Procedure calls in one batch.' },
  anonymousRequestsPerHour: {
    default: 10_000,
    min: 0,
    meaning:
      'Requests per hour from one address without a valid bearer token, counted separately for data, pages and sign-in; 0 for no limit.',
  },
  anonymousBurst: { default: 500, meaning: 'Requests that one address may send at once after a pause.' },
  principalRequestsPerHour: { default: 0, min: 0, meaning: 'Requests per hour by one account; 0 for no limit.' },
  principalBurst: { default: 500, meaning: 'Requests that one account may send at once after a pause.' },
  importIncrementRows: {
    default: 100_000,
    meaning: 'Rows of an increment, which is applied in one transaction while other writes wait.',
  },
  importLines: { default: 1_000, meaning: 'Rows in one append to an import.' },
  importBytes: {
    default: 4 * 1024 * 1024,
    meaning: 'Bytes of rows in one append to an import, if it has more than one row.',
  },
  streamLineBytes: { default: 1024 * 1024, meaning: 'Bytes of one line of a streaming submission.' },
  streamChunkLines: { default: 1_000, meaning: 'Lines of a streaming submission applied in one transaction.' },
  streamChunkBytes: {
    default: 4 * 1024 * 1024,
    meaning: 'Bytes of lines applied in one transaction, if there is more than one line.',
  },
  streamChunkMs: { default: 50, meaning: 'Milliseconds that lines wait for further lines before they are applied.' },
  streamIdleMs: {
    default: 120_000,
    meaning: 'Milliseconds without a byte after which a streaming submission ends.',
  },
  gzipRatio: { default: 50, meaning: 'Maximum ratio of uncompressed to compressed body size, after 1 MiB.' },
  liveStreams: { default: 100, meaning: 'Simultaneous live streams of one account in one process.' },
  anonymousLiveStreams: {
    default: 10,
    meaning: 'Simultaneous live streams from one address in one process, without a credential.',
  },
  exportBuilds: { default: 2, meaning: 'Export jobs of one repository that are built at the same time; others wait.' },
  exportJobsWaiting: { default: 20, meaning: 'Export jobs of one account that are waiting or being built.' },
  accountSignInsPerHour: { default: 20, meaning: 'Failed sign-in attempts per hour on one account.' },
  accountSignInBurst: { default: 10, meaning: 'Failed sign-in attempts on one account at once, after a pause.' },
  addressSignInsPerHour: { default: 60, meaning: 'Failed sign-in attempts per hour from one address.' },
  addressSignInBurst: {
    default: 30,
    meaning: 'Failed sign-in attempts from one address at once, after a pause.',
  },
  addressLinksPerHour: {
    default: 20,
    meaning: 'Requests per hour from one address for password-reset links, and for accounts if sign-up is open.',
  },
  addressLinkBurst: { default: 10, meaning: 'Such requests at once, after a pause.' },
  addressClientsPerHour: {
    default: 60,
    meaning: 'OAuth clients that one address may register per hour.',
  },
  addressClientBurst: { default: 20, meaning: 'OAuth clients that one address may register at once, after a pause.' },
  recipientMailsPerHour: { default: 10, meaning: 'Mails per hour to one recipient.' },
  recipientMailBurst: { default: 5, meaning: 'Mails to one recipient at once, after a pause.' },
} as const;

export type LimitName = keyof typeof LIMITS;
export type Limits = Readonly<Record<LimitName, number>>;

export const DEFAULT_LIMITS = Object.fromEntries(
  Object.entries(LIMITS).map(([name, limit]) => [name, limit.default]),
) as Limits;
