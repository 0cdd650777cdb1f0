import { BUILT_IN_SHAPES } from '@cairn/protocol/built-in-shape';
import type { ShapeItem } from '@cairn/sdk';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Sight } from '../../app/sight.ts';
import { AddRecordLink, WriteLinks } from '../change/write-links.tsx';
import { StepLinks } from '../record/step-links.tsx';
import { ShapeOwnerNote, useShapeOwner } from './shape-owner-note.tsx';

interface ShapeActionsProps {
  readonly sight: Sight;
  readonly shape: Pick<ShapeItem, 'name' | 'active'>;
  /** What else the page offers to who may write. */
  readonly children?: ReactNode;
}

/** What can be done with a shape, for who may; one that a component brought changes through that. */
export function ShapeActions({ sight, shape: { name, active }, children }: ShapeActionsProps) {
  const owner = useShapeOwner(sight, name);
  if (Object.hasOwn(BUILT_IN_SHAPES, name)) return children && <WriteLinks sight={sight}>{children}</WriteLinks>;
  const isOwn = owner?.isOwned === false;
  return (
    <>
      <WriteLinks sight={sight}>
        {isOwn && <FieldsLink sight={sight} name={name} label={active ? 'Change its fields' : 'Bring it back'} />}
        {active && <AddRecordLink sight={sight} shape={name} />}
        {isOwn && active && <StepLinks sight={sight} name={name} />}
        {children}
      </WriteLinks>
      <ShapeOwnerNote sight={sight} owner={owner} />
    </>
  );
}

interface LinkProps {
  readonly sight: Sight;
  readonly name: string;
}

function FieldsLink({ sight: { orgName, repoName }, name, label }: LinkProps & { readonly label: string }) {
  return (
    <Link to="/$orgName/$repoName/edit-shape/$shapeName" params={{ orgName, repoName, shapeName: name }}>
      {label}
    </Link>
  );
}
