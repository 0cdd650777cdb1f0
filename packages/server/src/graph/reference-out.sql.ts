// What a record refers to: what it is about, and the references in its data, as its version holds them.

import type { Grant } from '../access/grant.rule.ts';
import { roleOf } from '../commit/reference/reference-index.write.ts';
import type { Reader } from '../engine/database.ts';
import { type LongRead, STEP_ROWS } from '../engine/long-read.ts';
import { valueAt } from '../model/json-pointer.ts';
import { parseIdentity, parseReferences, type Reference } from '../model/reference.ts';
import { ABOUT } from '../model/reference-role.ts';
import { type FollowElsewhere, findHiddenTargets, type Pointer } from '../read/hidden-target.sql.ts';
import type { ItemRow } from '../read/record-item.sql.ts';
import { TargetNames } from '../read/target-name.sql.ts';

export interface Outgoing {
  readonly role: string;
  readonly target: Reference;
  /** With the name that the target had at the sequence read; in another repository, as it was written. */
  readonly wref: string;
}

export interface OutgoingPage {
  /** The version that refers. */
  readonly row: ItemRow;
  readonly atRepoSeq: number;
  readonly roles: readonly string[];
  /** The path of the last one before the page. */
  readonly after: string | undefined;
  readonly limit: number;
  readonly follow: FollowElsewhere | undefined;
  readonly longRead: LongRead;
}

type Placed = Omit<Outgoing, 'wref'> & { readonly pointer: Pointer };

/** By path; what the record is about comes first. References to hidden records are left out. */
export async function listOutgoing(reader: Reader, grant: Grant, page: OutgoingPage): Promise<Outgoing[]> {
  const { atRepoSeq, follow, limit, longRead } = page;
  const all = placedIn(page);
  const shown: Placed[] = [];
  for (let at = 0; at < all.length && shown.length < limit; ) {
    const step = all.slice(at, at + Math.min(limit, STEP_ROWS));
    const targets = step.map(({ pointer }) => pointer);
    const hidden = await findHiddenTargets(reader, grant, { targets, atRepoSeq, follow });
    shown.push(...step.filter(({ pointer }) => !hidden.has(pointer)));
    at += step.length;
    await longRead.turn();
  }
  return await withNames(reader, grant, { placed: shown.slice(0, limit), atRepoSeq });
}

function placedIn({ row, roles, after }: OutgoingPage): Placed[] {
  const { kind, about, about_wref } = row;
  const references = parseReferences(row.refs).sort((a, b) => (a.path < b.path ? -1 : 1));
  const data: unknown = references.length === 0 ? {} : JSON.parse(row.data);
  const aboutIt =
    about === null ? [] : [{ role: ABOUT, target: { path: '', ...parseIdentity(about) }, wref: about_wref }];
  const inData = references.map((target) => {
    return { role: roleOf(kind, target.path), target, wref: valueAt(data, target.path) };
  });
  return [...aboutIt, ...inData]
    .map(({ role, target, wref }) => ({ role, target, pointer: { ...target, wref: String(wref) } }))
    .filter(({ role, target }) => (after === undefined || target.path > after) && roles.includes(role));
}

async function withNames(
  reader: Reader,
  grant: Grant,
  { placed, atRepoSeq }: { placed: readonly Placed[]; atRepoSeq: number },
): Promise<Outgoing[]> {
  const names = new TargetNames(grant);
  for (const { target } of placed) names.want(target);
  await names.load(reader, atRepoSeq);
  return placed.map(({ pointer, ...rest }) => ({ ...rest, wref: names.find(rest.target) ?? pointer.wref }));
}
