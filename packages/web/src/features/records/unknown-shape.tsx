import { nearest } from '@cairn/protocol/nearest';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { description } from '../../app/queries.ts';
import { timeOf, useSight } from '../../app/sight.ts';
import { Text } from '../../ui/text.tsx';
import { presentName } from './whereabouts.ts';

interface UnknownShapeProps {
  readonly shape: string;
  /** How the server said that it is not there. */
  readonly error: unknown;
}

/** A shape that is not there has no records: what it is called now, or what was probably meant. */
export function UnknownShape({ shape, error }: UnknownShapeProps) {
  const sight = useSight();
  const { orgName, repoName, at } = sight;
  const { data } = useQuery(description(sight));
  const renamed = presentName(error);
  const meant = renamed ?? nearest(shape, data?.shapes.map(({ name }) => name) ?? [])[0];
  return (
    <section className="empty" aria-label="What was found">
      <p>
        There {at === undefined ? 'is' : 'was'} no shape <Text>{shape}</Text>
        {at !== undefined && ` at sequence ${at.toLocaleString('en')}`}.{' '}
        {meant !== undefined && (
          <>
            {renamed === undefined ? 'Did you mean ' : 'It is called '}
            <Link
              to="/$orgName/$repoName/records"
              params={{ orgName, repoName }}
              search={{ ...timeOf(sight), shape: meant }}
            >
              <Text>{meant}</Text>
            </Link>
            {renamed === undefined ? '?' : ' now.'}
          </>
        )}
      </p>
      <p>
        <Link to="/$orgName/$repoName/shapes" params={{ orgName, repoName }} search={timeOf(sight)}>
          All shapes
        </Link>{' '}
        are on a page of their own.
      </p>
    </section>
  );
}
