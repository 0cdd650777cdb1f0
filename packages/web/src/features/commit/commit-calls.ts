// The calls that write a draft as one commit, whole however long it is.
import { type Address, literal, program, quoted, type SameCalls } from '../../app/calls.ts';
import { unseenAs } from '../repository/unseen.ts';

export interface Written {
  readonly message: string;
  readonly operations: readonly object[];
}

export function commitCallsOf({ message, operations }: Written, address: Address): SameCalls {
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

/** For a file to be imported later, one operation on each line. */
export const linesOf = (operations: readonly object[]): string =>
  operations.map((operation) => unseenAs(escaped, JSON.stringify(operation))).join('\n');

/** On standard input: an argument has a limit, and quotes of its own. No line of JSON is the last word. */
const given = (text: string): string => `<<'END'\n${text}\nEND`;

const json = (value: unknown): string => unseenAs(escaped, JSON.stringify(value, undefined, 2));

const escaped = (character: string): string => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;

/** JSON is code, but for this name, which would not make a field. */
const asCode = (value: unknown): string => json(value).replace(/^( *)"__proto__":/gm, '$1["__proto__"]:');
