import { SCOPES, type Scope } from '@cairn/protocol/scopes';
import { useQuery } from '@tanstack/react-query';
import { description, organizations, repositories } from '../../data/queries.ts';
import { type Draft, type Extent, missingIn, scopesOf } from '../../data/token-draft.ts';
import { ChoiceField, TextField, TickField } from '../../parts/form/field.tsx';
import { ListField } from '../../parts/form/list-field.tsx';
import { useTold } from '../../parts/form/use-told.ts';

interface ScopeFieldsProps {
  readonly entry: Draft;
  /** Where there are several. */
  readonly number: number | undefined;
  readonly problem: string | undefined;
  /** What is said against the place itself. */
  readonly resourceProblem: string | undefined;
  readonly onChange: (entry: Draft) => void;
  readonly onRemove?: () => void;
}

const EXTENTS = [
  { value: 'repository', label: 'One repository' },
  { value: 'organization', label: 'An organization and its repositories' },
  { value: 'everything', label: 'Everything that you can reach' },
] as const;

/** A place, and what the token may do there. */
export function ScopeFields({ entry, number, problem, resourceProblem, onChange, onRemove }: ScopeFieldsProps) {
  const { extent, permissions, refs } = entry;
  const missing = missingIn(entry);
  const tick = (scope: Scope, isTicked: boolean) =>
    onChange({
      ...entry,
      permissions: isTicked ? [...permissions, scope] : permissions.filter((one) => one !== scope),
    });
  return (
    <fieldset className="fields">
      <legend>{number === undefined ? 'What it may do' : `What it may do: ${number}`}</legend>
      <ChoiceField
        label="Where"
        value={extent}
        options={EXTENTS}
        onChange={(chosen: Extent) => onChange({ ...entry, extent: chosen, resource: '' })}
      />
      {extent !== 'everything' && (
        <ResourceField
          extent={extent}
          value={entry.resource}
          problem={resourceProblem}
          onChange={(resource) => onChange({ ...entry, resource })}
        />
      )}
      {scopesOf(extent).map((scope) => (
        <TickField
          key={scope}
          label={<code>{scope}</code>}
          hint={SCOPES[scope]}
          isTicked={permissions.includes(scope)}
          onChange={(isTicked) => tick(scope, isTicked)}
        />
      ))}
      {permissions.includes('repo:read') && (
        <>
          <ShapesField entry={entry} onChange={(shapes) => onChange({ ...entry, shapes })} />
          <TextField
            label="Read only these records"
            value={refs}
            onChange={(value) => onChange({ ...entry, refs: value })}
            isLong
            hint="Globs over names, one a line, such as Signal/**. Without any, all records. With shapes too, those that are both."
          />
        </>
      )}
      {problem !== undefined && <p className="problem">{problem}</p>}
      {missing !== undefined && <p className="quiet">{missing}</p>}
      {onRemove !== undefined && (
        <button type="button" className="small" onClick={onRemove}>
          Leave this place out
        </button>
      )}
    </fieldset>
  );
}

interface ShapesFieldProps {
  readonly entry: Draft;
  readonly onChange: (shapes: readonly string[]) => void;
}

/** Typed, or chosen from those of the repository. */
function ShapesField({ entry: { extent, resource, shapes }, onChange }: ShapesFieldProps) {
  const { data: repos } = useQuery(repositories());
  const [orgName = '', repoName = ''] = resource.trim().split('/');
  const isKnown =
    extent === 'repository' && repos?.items.some((repo) => repo.orgName === orgName && repo.name === repoName);
  const { data: described } = useQuery({ ...description({ orgName, repoName }), enabled: isKnown === true });
  return (
    <ListField
      label="Read only records of these shapes"
      hint="Such as Signal. Without any, of all shapes."
      values={shapes}
      onChange={onChange}
      suggestions={isKnown ? described?.shapes.map(({ name }) => name) : undefined}
    />
  );
}

interface ResourceFieldProps {
  readonly extent: 'organization' | 'repository';
  readonly value: string;
  readonly problem: string | undefined;
  readonly onChange: (value: string) => void;
}

/** Typed, or chosen from those that can be seen. */
function ResourceField({ extent, value, problem, onChange }: ResourceFieldProps) {
  const { data: orgs } = useQuery(organizations);
  const { data: repos } = useQuery(repositories());
  const told = useTold(problem, value);
  const names =
    extent === 'organization'
      ? orgs?.items.map(({ name }) => name)
      : repos?.items.map(({ orgName, name }) => `${orgName}/${name}`);
  return (
    <TextField
      label={extent === 'organization' ? 'Organization' : 'Repository'}
      placeholder={extent === 'organization' ? 'acme' : 'acme/world'}
      value={value}
      onChange={onChange}
      suggestions={names ?? []}
      problem={told}
    />
  );
}
