// Every error that Cairn answers with: one row per code. Server, SDK and CLI share the table and the class.

interface ErrorRow {
  readonly status: number;
  readonly meaning: string;
  /** The same request may succeed later, unchanged. */
  readonly retryable?: true;
}

/**
 * Every code, with its HTTP status, what it means, and whether the same request may succeed later.
 *
 * @example
 * for (const [name, { status, meaning }] of Object.entries(ERRORS)) console.log(name, status, meaning);
 */
export const ERRORS = {
  VALIDATION_ERROR: { status: 400, meaning: 'A parameter, a name or the body does not have the documented form.' },
  SHAPE_MISMATCH: { status: 400, meaning: 'Data does not fit its shape; `details` has one entry per problem.' },
  RESERVED_NAME: { status: 400, meaning: 'The name belongs to the server or to a built-in shape.' },
  TARGET_NOT_FOUND: { status: 400, meaning: 'A wref in the request does not name a record that the caller may read.' },
  UNRESOLVED_TOKEN: { status: 400, meaning: 'A `#N` refers to a placeholder `$N` that no earlier operation uses.' },
  DEPENDENCY_FAILED: { status: 400, meaning: 'The operation refers to one that failed.' },
  UNAUTHENTICATED: { status: 401, meaning: 'The bearer token is missing, malformed, expired or revoked.' },
  FORBIDDEN: { status: 403, meaning: 'The caller may see the resource, but lacks the scope that the message names.' },
  NOT_FOUND: { status: 404, meaning: 'The resource does not exist, or the caller may not see it.' },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'The path exists; the `Allow` header lists its methods.' },
  REQUEST_TIMEOUT: { status: 408, meaning: 'The body did not arrive in time; send it again.', retryable: true },
  CONFLICT: { status: 409, meaning: 'The state of the resource does not allow this; `details.reason` tells why.' },
  ALREADY_EXISTS: { status: 409, meaning: 'The name is taken.' },
  ARCHIVED: { status: 409, meaning: 'The repository or organization is archived and takes no writes.' },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: 'The body or one of its parts exceeds a limit; the message names it.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, meaning: 'The route does not take this content type.' },
  RANGE_NOT_SATISFIABLE: { status: 416, meaning: 'The requested range is beyond the end of the file.' },
  RATE_LIMITED: { status: 429, meaning: 'Too many requests; retry after `retryAfter` seconds.', retryable: true },
  INTERNAL_ERROR: { status: 500, meaning: 'The server failed; its log has the reason under the request id.' },
  NOT_IMPLEMENTED: { status: 501, meaning: 'The route exists, but this version of the server does not serve it yet.' },
  UPSTREAM_ERROR: { status: 502, meaning: 'A component answered with an error.' },
  UNAVAILABLE: { status: 503, meaning: 'The server cannot do this right now; retry.', retryable: true },
  UPSTREAM_TIMEOUT: { status: 504, meaning: 'A component did not answer in time.' },
  // Only the SDK makes these: no answer came, or the caller cancelled the request.
  NETWORK_ERROR: { status: 0, meaning: 'The server cannot be reached, or the connection broke.', retryable: true },
  ABORTED: { status: 0, meaning: 'The caller cancelled the request with its `signal`.' },
  'export-parameters-conflict': { status: 400, meaning: 'The export parameters exclude each other.' },
  'export-seq-unavailable': { status: 400, meaning: 'The repository does not have this sequence.' },
  'export-scope-narrowed': { status: 403, meaning: 'Export needs an unrestricted repo:read.' },
  'export-component-token': { status: 403, meaning: 'Export is not available to component tokens.' },
  'export-token-unknown': { status: 404, meaning: 'No export job of this repository has this token.' },
  'export-token-expired': { status: 410, meaning: 'The export job has expired; mint another.' },
  'export-format-mismatch': { status: 412, meaning: 'The export format has changed; restart the export.' },
  'export-job-failed': { status: 500, meaning: 'The export job failed for good; the message gives the reason.' },
  'export-mode-not-enabled': { status: 501, meaning: 'Only mode=heads is available.' },
} as const satisfies Record<string, ErrorRow>;

/** The code of a failure. */
export type ErrorCode = keyof typeof ERRORS;

/** The fields of an error on every surface: the REST body's `error`, and tRPC's `data.cairn`. */
export interface ErrorFields {
  code: ErrorCode;
  message: string;
  details?: unknown;
  hint?: string;
  /** Seconds. */
  retryAfter?: number;
}

export interface ErrorBody {
  error: ErrorFields;
}

export interface FailOptions {
  message: string;
  details?: unknown;
  hint?: string | undefined;
  retryAfter?: number | undefined;
  cause?: unknown;
}

/**
 * The class of all failures, with a `code` and a message that says what to do next. Message and details are public;
 * anything private belongs into `cause`.
 *
 * @example
 * try {
 *   await client.thing.get('acme', 'world', 'Location/nowhere');
 * } catch (error) {
 *   if (!(error instanceof CairnError)) throw error;
 *   console.log(error.code, error.message, error.isRetryable);
 * }
 */
export class CairnError extends Error {
  /** Machine-readable cause of the failure. */
  readonly code: ErrorCode;
  /** Further details, in a form that depends on the code. */
  readonly details?: unknown;
  /** Advice that may help. */
  readonly hint?: string;
  /** Seconds to wait before a retry. */
  readonly retryAfter?: number;

  constructor(code: ErrorCode, options: FailOptions) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CairnError';
    this.code = code;
    if (options.details !== undefined) this.details = options.details;
    if (options.hint !== undefined) this.hint = options.hint;
    if (options.retryAfter !== undefined) this.retryAfter = options.retryAfter;
  }

  /** HTTP status of the answer; 0 if there was none. */
  get status(): number {
    return ERRORS[this.code].status;
  }

  /** True if the same call may succeed later, unchanged. */
  get isRetryable(): boolean {
    return 'retryable' in ERRORS[this.code];
  }

  /** The same fields as on every other surface. */
  get fields(): ErrorFields {
    return {
      code: this.code,
      message: this.message,
      ...(this.details !== undefined && { details: this.details }),
      ...(this.hint !== undefined && { hint: this.hint }),
      ...(this.retryAfter !== undefined && { retryAfter: this.retryAfter }),
    };
  }
}

/** Write `throw fail('CONFLICT', { message })`, so that the call site shows where control ends. */
export function fail(code: ErrorCode, options: FailOptions): CairnError {
  return new CairnError(code, options);
}

export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERRORS, code);
}

/** Adds a full stop, unless the text has its own end mark. */
export function ended(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
