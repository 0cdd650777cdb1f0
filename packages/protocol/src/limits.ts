// Every limit of the service, with its default. Each is also a setting of the server.
export const LIMITS = {
  jsonBodyBytes: { default: 8 * 1024 * 1024, meaning: 'Bytes of one JSON request body.' },
  bodyMs: { default: 300_000, meaning: 'Milliseconds in which a request body must have come, streams aside.' },
  requestMs: {
    default: 30_000,
    meaning:
      'Milliseconds in which a request is answered, besides the time that its body takes; the answer is 503 then. Streams and downloads have it for each statement of the database instead.',
  },
  headersMs: { default: 60_000, meaning: 'Milliseconds in which the headers of a request must arrive.' },
  addressConnections: {
    default: 1_000,
    min: 0,
    meaning: 'Connections from one address at once, in one process, trusted proxies aside; 0 for no limit.',
  },
  dataBytes: { default: 1024 * 1024, meaning: "Bytes of one record's data." },
  dataDepth: { default: 64, meaning: "Levels of nesting in one record's data." },
  commitOperations: { default: 10_000, meaning: 'Operations in one commit.' },
  commitReferences: { default: 50_000, meaning: 'References to records in one commit.' },
  commitRepositories: { default: 1_000, meaning: 'Other repositories that one commit refers to.' },
  answerBytes: { default: 8 * 1024 * 1024, meaning: 'Bytes of data in one answer; lists are cut there and go on.' },
  toolAnswerBytes: {
    default: 2 * 1024 * 1024,
    meaning: 'The same for one answer of a tool, which holds its data twice.',
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
      'Requests an hour from one address without a valid bearer token, counted apart for data, pages and signing in; 0 for no limit.',
  },
  anonymousBurst: { default: 500, meaning: 'Requests from one address that may come at once, after a pause.' },
  principalRequestsPerHour: { default: 0, min: 0, meaning: 'Requests an hour by one account; 0 for no limit.' },
  principalBurst: { default: 500, meaning: 'Requests by one account that may come at once, after a pause.' },
  importIncrementRows: {
    default: 100_000,
    meaning: 'Rows of an increment, which is applied in one transaction; other writes wait for it.',
  },
  importLines: { default: 1_000, meaning: 'Rows in one append to an import.' },
  importBytes: {
    default: 4 * 1024 * 1024,
    meaning: 'Bytes of rows in one append to an import, where it is more than one.',
  },
  streamLineBytes: { default: 1024 * 1024, meaning: 'Bytes of one line of a streaming submission.' },
  streamChunkLines: { default: 1_000, meaning: 'Lines of a streaming submission that are applied in one transaction.' },
  streamChunkBytes: {
    default: 4 * 1024 * 1024,
    meaning: 'Bytes of lines that are applied in one transaction, where it is more than one line.',
  },
  streamChunkMs: { default: 50, meaning: 'Milliseconds that lines wait for more, before they are applied.' },
  streamIdleMs: {
    default: 120_000,
    meaning: 'Milliseconds without a byte after which a streaming submission is ended.',
  },
  gzipRatio: { default: 50, meaning: 'How many times its size a packed body may unpack to, past the first MiB.' },
  liveStreams: { default: 100, meaning: 'Live streams of one account at once, in one process.' },
  anonymousLiveStreams: {
    default: 10,
    meaning: 'Live streams from one address at once, in one process, without a credential.',
  },
  exportBuilds: { default: 2, meaning: 'Export jobs of one repository that are built at once; others wait.' },
  exportJobsWaiting: { default: 20, meaning: 'Export jobs of one account that wait or are being built.' },
  accountSignInsPerHour: { default: 20, meaning: 'Failed attempts an hour to sign in to one account.' },
  accountSignInBurst: { default: 10, meaning: 'Failed attempts on one account that may come at once, after a pause.' },
  addressSignInsPerHour: { default: 60, meaning: 'Failed attempts an hour to sign in from one address.' },
  addressSignInBurst: {
    default: 30,
    meaning: 'Failed attempts from one address that may come at once, after a pause.',
  },
  addressLinksPerHour: {
    default: 20,
    meaning: 'Links for lost passwords, and accounts where sign-up is open, that one address may ask for in an hour.',
  },
  addressLinkBurst: { default: 10, meaning: 'Of these, how many may be asked for at once, after a pause.' },
  addressClientsPerHour: {
    default: 60,
    meaning: 'Clients of the OAuth server that may be registered from one address in an hour.',
  },
  addressClientBurst: { default: 20, meaning: 'Of these, how many may be registered at once, after a pause.' },
  recipientMailsPerHour: { default: 10, meaning: 'Mails an hour to one recipient.' },
  recipientMailBurst: { default: 5, meaning: 'Mails to one recipient that may be sent at once, after a pause.' },
} as const;

export type LimitName = keyof typeof LIMITS;
export type Limits = Readonly<Record<LimitName, number>>;

export const DEFAULT_LIMITS = Object.fromEntries(
  Object.entries(LIMITS).map(([name, limit]) => [name, limit.default]),
) as Limits;
