import type { Sight } from '../../app/sight.ts';
import { ShowMore, usePortion } from '../../ui/portion.tsx';
import { Arrow } from './arrow.tsx';
import { ANY_SHAPE } from './declaration.ts';
import { ShapeLink } from './shape-link.tsx';
import { placeIn, type ShapeReference } from './shape-reference.ts';

/** Which field refers to which shape, in words. */
export function ReferenceList({ sight, references }: { sight: Sight; references: readonly ShapeReference[] }) {
  const { shown, left, more } = usePortion(references);
  return (
    <>
      <ul className="shape-references">
        {shown.map((reference) => (
          <li key={`${placeIn(reference)} ${reference.to} ${reference.isAbout}`}>
            <ShapeLink sight={sight} name={reference.from}>
              {placeIn(reference)}
            </ShapeLink>
            {reference.isAbout ? ' is said about ' : <Arrow says="refers to" />}
            {reference.to === ANY_SHAPE ? (
              <span className="quiet">any shape</span>
            ) : (
              <ShapeLink sight={sight} name={reference.to} />
            )}
          </li>
        ))}
      </ul>
      <ShowMore left={left} more={more} what="references" />
    </>
  );
}

export function Targets({ sight, refersTo }: { sight: Sight; refersTo: readonly string[] }) {
  if (refersTo.includes(ANY_SHAPE)) return <span className="quiet">to any shape</span>;
  if (refersTo.length === 0) return <span className="quiet">to a shape that you may not see</span>;
  return (
    <span>
      to{' '}
      {refersTo.map((name, index) => (
        <span key={name}>
          {index > 0 && ', '}
          <ShapeLink sight={sight} name={name} />
        </span>
      ))}
    </span>
  );
}
