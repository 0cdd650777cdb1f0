import { pinWref } from '@cairn/model/wref';
import type { OperationResult } from '@cairn/sdk';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Address, literal, program, quoted, type SameCalls } from '../../app/calls.ts';
import { OPTIONAL, paged, repositoryKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { atOf, type Sight } from '../../app/sight.ts';
import { unseenAs } from '../../ui/unseen.ts';

export const commitLog = (sight: Sight) => ({
  ...paged([...repositoryKey(sight), 'log', sight.at ?? 'now'], (asked) =>
    client.commit.log(sight.orgName, sight.repoName, { ...asked, ...atOf(sight) }),
  ),
  placeholderData: keepPreviousData,
});

/** Commits never change. */
export const wholeCommit = (sight: Sight, repoSeq: number) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'commit', repoSeq],
    queryFn: ({ signal }) => client.commit.get(sight.orgName, sight.repoName, repoSeq, { signal }),
  });

export const changeIn = (sight: Sight, repoSeq: number, name: string) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'change', repoSeq, name],
    queryFn: ({ signal }) =>
      client.thing.diff(sight.orgName, sight.repoName, name, { signal, sinceRepoSeq: repoSeq - 1, atRepoSeq: repoSeq }),
    staleTime: Number.POSITIVE_INFINITY,
  });

type Retract = Pick<OperationResult, 'opIndex' | 'version'> & { readonly name: string };

export const retractReasons = (
  sight: Sight,
  { repoSeq, retracts }: { repoSeq: number; retracts: readonly Retract[] },
) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'retract-reasons', repoSeq, retracts[0]?.opIndex],
    queryFn: async ({ signal }) => {
      const wrefs = retracts.map(({ name, version }) => pinWref(name, version));
      const { items } = await client.thing.getMany(sight.orgName, sight.repoName, wrefs, {
        signal,
        includeRetracted: true,
        atRepoSeq: repoSeq,
      });
      return new Map(retracts.map(({ opIndex }, place) => [opIndex, items[place]?.reason]));
    },
    enabled: retracts.length > 0,
    ...OPTIONAL,
  });

type NamedOperation = Pick<OperationResult, 'operation' | 'name' | 'submittedName'>;

const DONE: Readonly<Record<string, string>> = {
  add: 'added',
  revise: 'revised',
  retract: 'retracted',
  rename: 'renamed',
};

export const doneBy = ({ operation }: Pick<OperationResult, 'operation'>): string => DONE[operation] ?? operation;

export function summaryOf(operations: readonly Pick<OperationResult, 'operation'>[]): string {
  const groups = Map.groupBy(operations, doneBy);
  return [...groups].map(([done, { length }]) => `${length.toLocaleString('en')} ${done}`).join(', ');
}

export function namesAfter(operations: readonly NamedOperation[]): readonly string[] {
  const last = new Map<string, string>();
  return operations
    .toReversed()
    .map(({ operation, name, submittedName }) => {
      const final = last.get(name) ?? name;
      if (operation === 'add' || operation === 'rename') last.delete(name);
      if (operation === 'rename' && submittedName !== undefined) last.set(submittedName, final);
      return final;
    })
    .toReversed();
}

export interface DraftedCommit {
  readonly message: string;
  readonly operations: readonly object[];
}

export function commitCallsOf({ message, operations }: DraftedCommit, address: Address): SameCalls {
  const { url, orgName = '', repoName = '', isSignedIn } = address;
  const words = ['commit', 'submit', '--repo', `${orgName}/${repoName}`, '--message', message, '--file', '-', '--json'];
  const head = [
    `curl ${quoted(`${url}/trpc/commit.submit`)}`,
    "-H 'Content-Type: application/json'",
    ...(isSignedIn ? ['-H "Authorization: Bearer $CAIRN_TOKEN"'] : []),
    '--data-binary @-',
  ];
  return {
    http: `${head.join(' \\\n  ')} ${given(json({ orgName, repoName, message, operations }))}`,
    sdk: program(
      address,
      `commit.submit(${literal(orgName)}, ${literal(repoName)}, ${asCode({ message, operations })})`,
    ),
    cli: `CAIRN_URL=${quoted(url)} cairn ${words.map(quoted).join(' ')} ${given(json(operations))}`,
  };
}

export const formatOperationLines = (operations: readonly object[]): string =>
  operations.map((operation) => unseenAs(escaped, JSON.stringify(operation))).join('\n');

/** Standard input: arguments have limits and their own quoting. No JSON line reads END. */
const given = (text: string): string => `<<'END'\n${text}\nEND`;
const json = (value: unknown): string => unseenAs(escaped, JSON.stringify(value, undefined, 2));
const escaped = (character: string): string => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;

/** An object literal would not make a field of this name. */
const asCode = (value: unknown): string => json(value).replace(/^( *)"__proto__":/gm, '$1["__proto__"]:');
