// Mail, as the rest of the server knows it. Nobody waits for one: a request is answered the same, and in the same time,
// whether its mail is sent, refused, or was never to be written.

export interface Mail {
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
}

export interface MailOrder {
  /** What it is about, for the log. */
  readonly about: 'invitation' | 'reset' | 'sign-up';
  readonly to: string;
  /** Written when its turn comes; `undefined` when there is nothing to say. */
  readonly write: () => Mail | undefined | Promise<Mail | undefined>;
}

/** There is none where no SMTP server is set. */
export interface MailQueue {
  /** Returns at once, and never fails. */
  add(order: MailOrder): void;
  /** Takes no more, and waits for those that are left, within bounds. */
  close(): Promise<void>;
}
