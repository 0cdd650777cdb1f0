import { useQuery } from '@tanstack/react-query';
import type { Sight } from '../../app/sight.ts';
import { ELSEWHERE, isShapeHere, SAID_MOST, type SaidAbout, saidAbout } from '../record/said-about.ts';
import { ShapeLink } from './shape-link.tsx';

export function SaidAboutShapes({ sight, name }: { sight: Sight; name: string }) {
  const { data: own } = useQuery(saidAbout(sight, name));
  const { data: all } = useQuery(saidAbout(sight));
  const aboutIt = all?.pairs.filter(({ to }) => to === name) ?? [];
  return (
    <>
      {own !== undefined && own.pairs.length > 0 && (
        <p>
          Its assertions are claims about records of: <Pairs sight={sight} pairs={own.pairs} end="to" />
          {!own.isAll && <Sampled of="its" />}
        </p>
      )}
      {all !== undefined && aboutIt.length > 0 && (
        <p>
          Claims about its records are made by assertions of: <Pairs sight={sight} pairs={aboutIt} end="from" />
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
  [ELSEWHERE.hidden]: 'shapes that you may not see',
};

const assertions = (count: number): string =>
  count === 1 ? '1 assertion' : `${count.toLocaleString('en')} assertions`;

function Pairs({ sight, pairs, end }: { sight: Sight; pairs: readonly SaidAbout[]; end: 'from' | 'to' }) {
  return pairs.map((pair, index) => (
    <span key={pair[end]}>
      {index > 0 && ', '}
      {end === 'from' || isShapeHere(pair) ? <ShapeLink sight={sight} name={pair[end]} /> : WORDS[pair.to]}
      <span className="quiet"> ({assertions(pair.count)})</span>
    </span>
  ));
}
