// The statement check finds violations of the Citus rules.
import { expect, inject, it } from 'vitest';
import { checkStatements } from '../support/citus/statement-check.ts';

async function problemsOf(...statements: string[]) {
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${inject('postgresTemplate')}`;
  const noted = statements.map((sql) => ({ sql }));
  const { problems } = await checkStatements(url.href, noted, '');
  return problems.map((problem) => problem.split(':')[0]);
}

const SEVERAL = expect.stringMatching(/^reads \w+ on several machines$/);

it.each([
  ['select data from version where repo_id = $1 and record_id = any($2::bigint[])', []],
  ['select role from member where account_id = $1', []],
  ['select repo_seq from repo_sequence where repo_id = any($1::bigint[])', []],
])('lets pass %s', async (sql, expected) => {
  expect(await problemsOf(sql)).toEqual(expected);
});

it.each([
  ['select data from version where record_id = $1', [SEVERAL]],
  ['select r.name from unnest($1::bigint[]) k (id) join record r on r.repo_id = k.id', [SEVERAL]],
  ['select record_id from ref where repo_id = $1', [SEVERAL]],
  ['update record set active = 0 where record_id = $1', [SEVERAL]],
  [
    'select w.due_at from work w join run r on r.repo_id = w.repo_id where r.repo_id = $1',
    ['joins what is distributed with what stays on the coordinator'],
  ],
  [
    'select run_id from run where repo_id = $1 limit 1 for update skip locked',
    ['skips locked rows of several machines'],
  ],
  [
    'insert into rename (repo_id, record_id, repo_seq, op_index, old_name, new_name) values ($1, (select 1), 1, 1, $2, $3)',
    ['inserts values that it selects'],
  ],
  [
    `update run set created_at = (random() * 10)::bigint where repo_id = $1`,
    ['changes rows by what differs at each call'],
  ],
])('refuses %s', async (sql, expected) => {
  expect(await problemsOf(sql)).toEqual(expected);
});

it('refuses a commit that changes a reference table', async () => {
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${inject('postgresTemplate')}`;
  const commit = `insert into "commit" (repo_id, repo_seq, commit_id, created_at, created_by, message, operation_count, entries)
    values ($1, $2, $3, $4, $5, $6, $7, $8)`;
  const change = 'update repository set description = $2 where id = $1';
  const { problems } = await checkStatements(
    url.href,
    [{ transaction: [commit, change] }, { transaction: [change] }],
    '',
  );
  expect(problems).toEqual([`changes a reference table in a commit: ${change}`]);
});
