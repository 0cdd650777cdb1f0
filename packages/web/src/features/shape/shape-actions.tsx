import type { Manifest } from '@cairn/protocol/manifest';
import { BUILT_IN_SHAPES } from '@cairn/protocol/vocabulary';
import type { ShapeItem } from '@cairn/sdk';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import { toComponentIn, toEditShape } from '../../app/links.ts';
import { useWritable } from '../../app/may.ts';
import { allItems } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import type { Sight } from '../../app/sight.ts';
import { AddRecordLink, WriteLinks } from '../change/writable.tsx';
import { installKey, namedBy } from '../component/component.ts';
import { StepLinks } from '../record/record-link.tsx';

interface ShapeActionsProps {
  readonly sight: Sight;
  readonly shape: Pick<ShapeItem, 'name' | 'active'>;
  readonly children?: ReactNode;
}

export function ShapeActions({ sight, shape: { name, active }, children }: ShapeActionsProps) {
  const owner = useShapeOwner(sight, name);
  if (Object.hasOwn(BUILT_IN_SHAPES, name)) return children && <WriteLinks sight={sight}>{children}</WriteLinks>;
  const isOwn = owner?.isOwned === false;
  return (
    <>
      <WriteLinks sight={sight}>
        {isOwn && <Link {...toEditShape(sight, name)}>{active ? 'Edit fields' : 'Restore'}</Link>}
        {active && <AddRecordLink sight={sight} shape={name} />}
        {isOwn && active && <StepLinks sight={sight} name={name} />}
        {children}
      </WriteLinks>
      <ShapeOwnerNote sight={sight} owner={owner} />
    </>
  );
}

export function useShapeOwner(sight: Sight, name: string): ShapeOwner | undefined {
  const mayWrite = useWritable(sight);
  const { data, isError } = useQuery({ ...shapeOwner(sight, name, mayWrite), enabled: sight.at === undefined });
  return isError ? NOBODY : data;
}

export function ShapeOwnerNote({ sight, owner = NOBODY }: { sight: Sight; owner: ShapeOwner | undefined }) {
  const { components, isOwned } = owner;
  if (components.length === 0 && !isOwned) return null;
  return (
    <p className="record-note">
      {components.length === 0 ? (
        'This shape belongs to an installed component'
      ) : (
        <>
          This shape belongs to the component{' '}
          {components.map((component, index) => (
            <Fragment key={component}>
              {index > 0 && ', '}
              <Link {...toComponentIn(sight, namedBy(component))}>{component}</Link>
            </Fragment>
          ))}
        </>
      )}
      {isOwned
        ? ', which added it. Only a new version of the component can change it, until the component is uninstalled.'
        : ', which depends on its current fields.'}
    </p>
  );
}

interface ShapeOwner {
  /** `org/name`. Private components are visible to members only. */
  readonly components: readonly string[];
  readonly isOwned: boolean;
}

const NOBODY: ShapeOwner = { components: [], isOwned: false };

const shapeOwner = (sight: Sight, name: string, mayWrite: boolean) =>
  queryOptions({
    queryKey: [...installKey(sight), 'shape-owner', name, mayWrite],
    queryFn: async ({ signal }): Promise<ShapeOwner> => {
      const { orgName, repoName } = sight;
      const all = await allItems(client.component.list(orgName, repoName, { signal, limit: 500 }));
      const installed = all.filter(({ state }) => state !== 'uninstalled');
      if (installed.length === 0) return NOBODY;
      const [isOwned, ...declaring] = await Promise.all([
        mayWrite && isGuarded(sight, name, signal),
        ...installed.map(async ({ component, version }) =>
          (await shapesOf(component, version, signal)).includes(name) ? component : undefined,
        ),
      ]);
      return { isOwned, components: declaring.filter((one) => one !== undefined) };
    },
    retry: false,
  });

async function shapesOf(component: string, version: string, signal: AbortSignal): Promise<readonly string[]> {
  const { ownerName, componentName } = namedBy(component);
  try {
    const { manifest } = await client.component.view(ownerName, componentName, { version, signal });
    return ((manifest as Partial<Manifest>).shapes ?? []).map((shape) => shape.name);
  } catch {
    return [];
  }
}

/** Only the server knows whether a component owns the shape or just uses it. Nothing is written. */
async function isGuarded({ orgName, repoName }: Sight, name: string, signal: AbortSignal): Promise<boolean> {
  const operations = [{ operation: 'retract', name }];
  const answer = await client.commit.validate(orgName, repoName, { operations, atomic: false, signal });
  return answer.operations.some(({ error }) => isOwnedShape(error?.details));
}

const isOwnedShape = (details: unknown): boolean =>
  typeof details === 'object' && details !== null && 'reason' in details && details.reason === 'owned_shape';
