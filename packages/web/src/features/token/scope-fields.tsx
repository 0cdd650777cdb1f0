import { SCOPES, type Scope } from '@cairn/protocol/scopes';
import { useQuery } from '@tanstack/react-query';
import { description, organizations, repositories } from '../../app/queries.ts';
import { SmallButton } from '../../ui/button.tsx';
import { ChoiceField, TextField, TickField } from '../../ui/field.tsx';
import { ListField } from '../../ui/list-field.tsx';
import { useTold } from '../../ui/page.tsx';
import { type Draft, type Extent, missingPermission, missingPlace, scopesOf } from './token-draft.ts';

export const SCOPE_PLACES = ['', '/resource', '/permissions', '/shapes', '/refs'] as const;
type ScopePlace = (typeof SCOPE_PLACES)[number];

interface ScopeFieldsProps {
  readonly entry: Draft;
  readonly number: number | undefined;
  readonly problemAt: (place: ScopePlace) => string | undefined;
  readonly onChange: (entry: Draft) => void;
  readonly onRemove?: () => void;
}

const EXTENTS = [
  { value: 'repository', label: 'One repository' },
  { value: 'organization', label: 'An organization and its repositories' },
  { value: 'everything', label: 'Everything that you can access' },
] as const;

export function ScopeFields({ entry, number, problemAt, onChange, onRemove }: ScopeFieldsProps) {
  const { extent, permissions, refs, shapes } = entry;
  const set = (changed: Partial<Draft>) => onChange({ ...entry, ...changed });
  const refsProblem = useTold(problemAt('/refs'), refs);
  const shapesProblem = useTold(problemAt('/shapes'), shapes.join('\n'));
  return (
    <fieldset className="fields">
      <legend>{number === undefined ? 'Permissions' : `Permissions ${number}`}</legend>
      <ChoiceField
        label="Where"
        value={extent}
        options={EXTENTS}
        onChange={(chosen: Extent) => set({ extent: chosen, resource: '' })}
      />
      {extent !== 'everything' && (
        <ResourceField
          extent={extent}
          value={entry.resource}
          missing={missingPlace(entry)}
          problem={problemAt('/resource')}
          onChange={(resource) => set({ resource })}
        />
      )}
      <Permissions
        entry={entry}
        problem={problemAt('/permissions')}
        onChange={(chosen) => set({ permissions: chosen })}
      />
      {permissions.includes('repo:read') && (
        <>
          <ShapesField entry={entry} problem={shapesProblem} onChange={(chosen) => set({ shapes: chosen })} />
          <TextField
            label="Limit reading to these records"
            value={refs}
            onChange={(value) => set({ refs: value })}
            isLong
            hint="Globs of names, one per line, such as Signal/**. Leave empty for all records. With shapes, a record must match both."
            problem={refsProblem}
          />
          {permissions.includes('repo:write') && (
            <p className="quiet hint">
              These limits do not apply to writing: with <code>repo:write</code>, the token can write to all records,
              even to those that it cannot read.
            </p>
          )}
        </>
      )}
      {problemAt('') !== undefined && <p className="problem">{problemAt('')}</p>}
      {onRemove !== undefined && <SmallButton onClick={onRemove}>Remove</SmallButton>}
    </fieldset>
  );
}

interface PermissionsProps {
  readonly entry: Draft;
  readonly problem: string | undefined;
  readonly onChange: (permissions: readonly Scope[]) => void;
}

function Permissions({ entry, problem, onChange }: PermissionsProps) {
  const { extent, permissions } = entry;
  const told = useTold(problem, permissions.join(' '));
  const missing = missingPermission(entry);
  const tick = (scope: Scope, isTicked: boolean) =>
    onChange(isTicked ? [...permissions, scope] : permissions.filter((one) => one !== scope));
  return (
    <>
      {scopesOf(extent).map((scope) => (
        <TickField
          key={scope}
          label={<code>{scope}</code>}
          hint={SCOPES[scope]}
          isTicked={permissions.includes(scope)}
          onChange={(isTicked) => tick(scope, isTicked)}
        />
      ))}
      {told !== undefined && <p className="problem">{told}</p>}
      {missing !== undefined && <p className="quiet hint">{missing}</p>}
    </>
  );
}

interface ShapesFieldProps {
  readonly entry: Draft;
  readonly problem: string | undefined;
  readonly onChange: (shapes: readonly string[]) => void;
}

function ShapesField({ entry: { extent, resource, shapes }, problem, onChange }: ShapesFieldProps) {
  const { data: repos } = useQuery(repositories());
  const [orgName = '', repoName = ''] = resource.trim().split('/');
  const isKnown =
    extent === 'repository' && repos?.items.some((repo) => repo.orgName === orgName && repo.name === repoName);
  const { data: described } = useQuery({ ...description({ orgName, repoName }), enabled: isKnown === true });
  return (
    <ListField
      label="Limit reading to records of these shapes"
      hint="Such as Signal. Leave empty for all shapes."
      problem={problem}
      values={shapes}
      onChange={onChange}
      suggestions={isKnown ? described?.shapes.map(({ name }) => name) : undefined}
    />
  );
}

interface ResourceFieldProps {
  readonly extent: 'organization' | 'repository';
  readonly value: string;
  readonly missing: string | undefined;
  readonly problem: string | undefined;
  readonly onChange: (value: string) => void;
}

function ResourceField({ extent, value, missing, problem, onChange }: ResourceFieldProps) {
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
      hint={missing}
      problem={told}
    />
  );
}
