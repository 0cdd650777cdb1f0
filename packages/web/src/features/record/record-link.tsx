import { Link } from '@tanstack/react-router';
import { timeOf, useSight } from '../../app/sight.ts';
import { Text } from '../../ui/text.tsx';
import { placeOf } from './wref.ts';

/** Leads to the record that a wref names, here or in another repository; at the sequence that is looked at, if it is here. */
export function RecordLink({ wref, children }: { wref: string; children?: string }) {
  const sight = useSight();
  const { orgName = sight.orgName, repoName = sight.repoName, name, version } = placeOf(wref);
  const isHere = orgName === sight.orgName && repoName === sight.repoName;
  const search = { ...(isHere && timeOf(sight)), ...(version !== undefined && { version }) };
  const shown = <Text>{children ?? wref}</Text>;
  if (!name.includes('/')) {
    return (
      <Link to="/$orgName/$repoName/shapes/$shapeName" params={{ orgName, repoName, shapeName: name }} search={search}>
        {shown}
      </Link>
    );
  }
  return (
    <Link to="/$orgName/$repoName/record/$" params={{ orgName, repoName, _splat: name }} search={search}>
      {shown}
    </Link>
  );
}
