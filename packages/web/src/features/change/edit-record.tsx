import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, useParams, useSearch } from '@tanstack/react-router';
import { isMissing } from '../../app/problem.ts';
import { type Sight, useSight } from '../../app/sight.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Text } from '../../ui/text.tsx';
import { useTitle } from '../../ui/title.ts';
import { MissingRecord } from '../record/missing-record.tsx';
import { record } from '../record/record.ts';
import { RenameForm } from './rename-form.tsx';
import { RetractForm } from './retract-form.tsx';
import { Revise } from './revise.tsx';
import { Writable } from './writable.tsx';
import '../../ui/css/change.css';

const STEPS = [
  { step: 'revise', label: 'Its data' },
  { step: 'rename', label: 'Its name' },
  { step: 'retract', label: 'Retract it' },
] as const;

/** A record that is there: its data, its name, or whether it is to be there any longer. */
export function EditRecord() {
  const sight = useSight();
  const { _splat: name = '' } = useParams({ from: '/$orgName/$repoName/edit/$' });
  return <EditNamed sight={sight} name={name} />;
}

function EditNamed({ sight, name }: { sight: Sight; name: string }) {
  const { step = 'revise' } = useSearch({ from: '/$orgName/$repoName/edit/$' });
  const { orgName, repoName } = sight;
  useTitle(`Change ${name}`, `${orgName}/${repoName}`);
  const newest = useQuery(record(sight, name));
  if (isMissing(newest.error)) {
    return (
      <MissingRecord sight={sight} name={name} present={(found) => <EditPresent sight={sight} name={found} />}>
        {(found) => found !== name && <EditNamed sight={sight} name={found} />}
      </MissingRecord>
    );
  }
  const isRetracted = newest.data?.active === false;
  return (
    <Writable
      sight={sight}
      title={
        <>
          {isRetracted ? 'Bring back' : 'Change'} <Text>{name}</Text>
        </>
      }
    >
      {isRetracted && (
        <p className="hint">It is retracted. It is there again with this data, or with what you make of it.</p>
      )}
      {!isRetracted && (
        <nav className="pages" aria-label="What to change">
          {STEPS.map(({ step: to, label }) => (
            <Link
              key={to}
              to="/$orgName/$repoName/edit/$"
              params={{ orgName, repoName, _splat: name }}
              search={to === 'revise' ? {} : { step: to }}
              activeOptions={{ exact: true, includeSearch: true }}
            >
              {to === 'revise' && newest.data?.kind === 'shape' ? 'Its fields' : label}
            </Link>
          ))}
        </nav>
      )}
      <Loaded query={newest} what="the record" isPart isForm>
        {(head) => {
          if (step === 'rename') return <RenameForm sight={sight} head={head} />;
          if (step === 'retract') return <RetractForm sight={sight} head={head} />;
          if (head.kind === 'shape') return <ToItsFields sight={sight} shapeName={head.name} />;
          return <Revise key={head.durableId} sight={sight} head={head} />;
        }}
      </Loaded>
    </Writable>
  );
}

/** What was typed is kept for the record, whatever it is called: nobody need be asked. */
function EditPresent({ sight: { orgName, repoName }, name }: { sight: Sight; name: string }) {
  return (
    <Navigate
      to="/$orgName/$repoName/edit/$"
      params={{ orgName, repoName, _splat: name }}
      search={true}
      replace
      ignoreBlocker
    />
  );
}

/** A shape has a form of its own. */
function ToItsFields({ sight: { orgName, repoName }, shapeName }: { sight: Sight; shapeName: string }) {
  const params = { orgName, repoName, shapeName };
  return <Navigate to="/$orgName/$repoName/edit-shape/$shapeName" params={params} replace />;
}
