// Requests that the server sends to addresses that others chose: webhooks and components. Who may be reached is
// decided when an address is saved and again at each connection.
export interface OutboundRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** How much of the answer is read; by default 64 KiB. */
  readonly answerBytesMax?: number | undefined;
  /** Ends the request early: the server stops. */
  readonly signal?: AbortSignal | undefined;
}

export interface OutboundAnswer {
  readonly kind: 'answer';
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** As text, as far as it was read. */
  readonly body: string;
  /** Whether there was more than what was read. */
  readonly truncated: boolean;
  readonly durationMs: number;
}

/** No answer. `TARGET_REFUSED` is never connected to, and trying again is of no use. */
export interface OutboundFailure {
  readonly kind: 'failure';
  readonly code: 'TARGET_REFUSED' | 'DNS_ERROR' | 'CONNECT_TIMEOUT' | 'TIMEOUT' | 'TLS_ERROR' | 'NETWORK_ERROR';
  readonly message: string;
  readonly durationMs: number;
}

export interface Outbound {
  /** Refuses, with advice, an address that may not be reached. `path` is where it stands in the input. */
  check(url: string, path: string): Promise<void>;
  /** Never throws, apart from when `signal` is aborted. */
  send(request: OutboundRequest): Promise<OutboundAnswer | OutboundFailure>;
}
