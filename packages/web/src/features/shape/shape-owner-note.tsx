import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { useWritable } from '../../app/may.ts';
import type { Sight } from '../../app/sight.ts';
import { namedBy } from '../component/component.ts';
import { NOBODY, type ShapeOwner, shapeOwner } from './shape-owner.ts';
import '../../ui/css/record.css';

/** Undefined until it is known. Where it cannot be, the server decides alone. */
export function useShapeOwner(sight: Sight, name: string): ShapeOwner | undefined {
  const mayWrite = useWritable(sight);
  const { data, isError } = useQuery({ ...shapeOwner(sight, name, mayWrite), enabled: sight.at === undefined });
  return isError ? NOBODY : data;
}

/** Which component a shape is of, and how it is changed then. */
export function ShapeOwnerNote({ sight, owner = NOBODY }: { sight: Sight; owner: ShapeOwner | undefined }) {
  const { components, isOwned } = owner;
  if (components.length === 0 && !isOwned) return null;
  return (
    <p className="record-note">
      {components.length === 0 ? (
        'It belongs to an installed component'
      ) : (
        <>
          It is among the shapes of the component{' '}
          {components.map((component, index) => (
            <Fragment key={component}>
              {index > 0 && ', '}
              <ComponentLink sight={sight} component={component} />
            </Fragment>
          ))}
        </>
      )}
      {isOwned
        ? ', which brought it. It is changed by a new version of the component, or by anybody once that is torn down.'
        : ', which needs its fields as they are.'}
    </p>
  );
}

function ComponentLink({ sight: { orgName, repoName }, component }: { sight: Sight; component: string }) {
  return (
    <Link
      to="/$orgName/$repoName/operate/components/$ownerName/$componentName"
      params={{ orgName, repoName, ...namedBy(component) }}
    >
      {component}
    </Link>
  );
}
