import { splitWref } from '@cairn/model/wref';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Sight, timeOf, useSight } from '../../app/sight.ts';
import { Text } from '../../ui/text.tsx';
import { record } from './record.ts';

/** Leads to the record that a wref names, here or in another repository; at the sequence that is looked at, if it is here. */
export function RecordLink({ wref, children }: { wref: string; children?: string }) {
  const sight = useSight();
  const { orgName = sight.orgName, repoName = sight.repoName, name, version } = splitWref(wref);
  const isHere = orgName === sight.orgName && repoName === sight.repoName;
  const search = { ...(isHere && timeOf(sight)), ...(version !== undefined && { version }) };
  const shown = <Text>{children ?? wref}</Text>;
  if (!name.includes('/')) {
    return (
      <Link to="/$orgName/$repoName/shapes/$shapeName" params={{ orgName, repoName, shapeName: name }} search={search}>
        {shown}
      </Link>
    );
  }
  return (
    <Link to="/$orgName/$repoName/record/$" params={{ orgName, repoName, _splat: name }} search={search}>
      {shown}
    </Link>
  );
}

export function CommitLink({ sight, repoSeq }: { sight: Sight; repoSeq: number }) {
  const { orgName, repoName } = sight;
  return (
    <Link
      to="/$orgName/$repoName/commits/$repoSeq"
      params={{ orgName, repoName, repoSeq: String(repoSeq) }}
      search={timeOf(sight)}
    >
      commit {repoSeq.toLocaleString('en')}
    </Link>
  );
}

interface FactProps {
  readonly name: string;
  /** What the name means, where that is not plain. */
  readonly hint?: string;
  readonly children: ReactNode;
}

/** One line of what is known of a record. */
export function Fact({ name, hint, children }: FactProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
      {hint !== undefined && <dd className="hint">{hint}</dd>}
    </div>
  );
}

/** To what is done to a record, or to a shape, beside new data. */
export function StepLinks({ sight: { orgName, repoName }, name }: { readonly sight: Sight; readonly name: string }) {
  const params = { orgName, repoName, _splat: name };
  return (
    <>
      <Link to="/$orgName/$repoName/edit/$" params={params} search={{ step: 'rename' }}>
        Rename
      </Link>
      <Link to="/$orgName/$repoName/edit/$" params={params} search={{ step: 'retract' }}>
        Retract
      </Link>
    </>
  );
}

interface NameNoteProps {
  readonly sight: Sight;
  readonly durableId: string;
  /** What it is called at the sequence that is looked at. */
  readonly name: string;
  /** The name in the address, where that is another. */
  readonly askedAs: string | undefined;
}

/** Of what has more than one name: what it is called now, for who looks at the past, and was called, for who asks by an old name. */
export function NameNote({ sight, durableId, name, askedAs }: NameNoteProps) {
  const { orgName, repoName } = sight;
  const isPast = sight.at !== undefined;
  const now = useQuery({ ...record({ orgName, repoName }, durableId), enabled: isPast });
  if (!isPast) {
    if (askedAs === undefined) return null;
    return (
      <p className="quiet">
        It was called <Text>{askedAs}</Text> before.
      </p>
    );
  }
  const present = now.data?.name;
  if (present === undefined || present === name) return null;
  return (
    <p className="quiet">
      It is called{' '}
      {present.includes('/') ? (
        <Link to="/$orgName/$repoName/record/$" params={{ orgName, repoName, _splat: present }}>
          <Text>{present}</Text>
        </Link>
      ) : (
        <Link to="/$orgName/$repoName/shapes/$shapeName" params={{ orgName, repoName, shapeName: present }}>
          <Text>{present}</Text>
        </Link>
      )}{' '}
      now.
    </p>
  );
}
