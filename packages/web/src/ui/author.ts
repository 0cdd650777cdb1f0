// Who did something, as it is kept: `user:ada`, `token:ada/laptop`, `component:acme/word-count`, `subscription:signals`.

export interface Author {
  readonly name: string;
  /** What it was written with, where it was not by hand. */
  readonly by?: string;
}

const FORM = /^(user|token|component|subscription):([^/]+)(?:\/(.*))?$/s;

export function authorOf(createdBy: string): Author {
  const [, kind, name = createdBy, rest] = FORM.exec(createdBy) ?? [];
  if (kind === 'token') return { name, by: rest === undefined ? 'a token' : `token ${rest}` };
  if (kind === 'component') return { name: rest === undefined ? name : `${name}/${rest}`, by: 'a component' };
  return kind === 'subscription' ? { name, by: 'a subscription' } : { name };
}
