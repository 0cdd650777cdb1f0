import { ANY_SHAPE } from '@cairn/model/declaration';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { toShape } from '../../app/links.ts';
import type { Sight } from '../../app/sight.ts';
import { ShowMore, Text, usePortion } from '../../ui/text.tsx';
import { ELSEWHERE, isShapeHere, SAID_MOST, type SaidAbout, saidAbout } from '../record/said-about.ts';
import { placeIn, type ShapeReference } from './fields.ts';

export const ShapeLink = ({ sight, name, children = name }: { sight: Sight; name: string; children?: string }) => (
  <Link {...toShape(sight, name)}>
    <Text>{children}</Text>
  </Link>
);

export const ReferenceHint = () => (
  <p className="hint">
    A reference (wref) points to another record by name. It follows renames, and pins the version that was current when
    it was written, such as @v1.
  </p>
);

export const Arrow = ({ says = 'to' }: { says?: string }) => (
  <>
    {' '}
    <span aria-hidden="true">→</span>
    <span className="hidden">{says}</span>{' '}
  </>
);

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
            {reference.isAbout ? ' is about ' : <Arrow says="refers to" />}
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
  if (refersTo.length === 0) return <span className="quiet">to a shape that you cannot see</span>;
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

export function SaidAboutShapes({ sight, name }: { sight: Sight; name: string }) {
  const { data: own } = useQuery(saidAbout(sight, name));
  const { data: all } = useQuery(saidAbout(sight));
  const aboutIt = all?.pairs.filter(({ to }) => to === name) ?? [];
  return (
    <>
      {own !== undefined && own.pairs.length > 0 && (
        <p>
          Its assertions are about records of: <Pairs sight={sight} pairs={own.pairs} end="to" />
          {!own.isAll && <Sampled of="its" />}
        </p>
      )}
      {all !== undefined && aboutIt.length > 0 && (
        <p>
          Its records are the subject of assertions of: <Pairs sight={sight} pairs={aboutIt} end="from" />
          {!all.isAll && <Sampled of="the" />}
        </p>
      )}
    </>
  );
}

const Sampled = ({ of }: { of: 'its' | 'the' }) => (
  <span className="quiet">
    . Only {of} latest {SAID_MOST} assertions are counted.
  </span>
);

const WORDS: Readonly<Record<string, string>> = {
  [ELSEWHERE.otherRepository]: 'other repositories',
  [ELSEWHERE.shape]: 'shapes themselves',
  [ELSEWHERE.hidden]: 'shapes that you cannot see',
};

const assertions = (count: number): string =>
  count === 1 ? '1 assertion' : `${count.toLocaleString('en')} assertions`;

const Pairs = ({ sight, pairs, end }: { sight: Sight; pairs: readonly SaidAbout[]; end: 'from' | 'to' }) =>
  pairs.map((pair, index) => (
    <span key={pair[end]}>
      {index > 0 && ', '}
      {end === 'from' || isShapeHere(pair) ? <ShapeLink sight={sight} name={pair[end]} /> : WORDS[pair.to]}
      <span className="quiet"> ({assertions(pair.count)})</span>
    </span>
  ));
