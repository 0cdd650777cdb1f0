// The right to act on one repository. Functions on a repository's rows take it instead of an id, and only authorization
// (operations/access.ts) makes one: forgetting to ask does not compile.
import type { Scope } from '@cairn/protocol/scopes';
import type { FoundRepository } from './repository.ts';

declare const granted: unique symbol;

export interface Grant extends FoundRepository {
  readonly scope: Scope;
  readonly [granted]: true;
}
