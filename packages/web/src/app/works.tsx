import { Link } from '@tanstack/react-router';
import { SecondaryButton, SmallButton } from '../ui/button.tsx';
import { List } from '../ui/list.tsx';
import { Page } from '../ui/page.tsx';
import { Text } from '../ui/text.tsx';
import { problemOf } from './problem.ts';
import { forgetWork, stopWork, useWorks, type Work } from './work.ts';

export function Works() {
  const works = useWorks();
  return (
    <Page title="Tasks">
      <p className="quiet">Long-running tasks continue while you visit other pages, as long as this tab stays open.</p>
      {works.length === 0 ? (
        <p>There are no tasks.</p>
      ) : (
        <List className="cards" items={works} keyOf={({ id }) => id}>
          {(work) => <One work={work} />}
        </List>
      )}
    </Page>
  );
}

function One({ work: { id, what, href, told, now } }: { work: Work }) {
  const isRunning = now.state === 'running';
  return (
    <>
      <h2>
        <Link to={href}>
          <Text>{what}</Text>
        </Link>
      </h2>
      <p role="status">
        <Text most={2_000}>{isRunning ? told : workStatus(now)}</Text>
      </p>
      {isRunning && <progress aria-label={what} />}
      <div className="actions">
        <SmallButton onClick={() => (isRunning ? stopWork(id) : forgetWork(id))}>
          {isRunning ? 'Stop' : 'Dismiss'}
        </SmallButton>
      </div>
    </>
  );
}

interface WorkProgressProps {
  readonly work: Work;
  readonly what: string;
  readonly value?: number | undefined;
  readonly max?: number;
  readonly told?: string;
}

export const WorkProgress = ({ work, what, value, max, told = work.told }: WorkProgressProps) => (
  <section className="progress" aria-label={what}>
    <progress aria-label="Progress" value={value} max={max} />
    <p role="status">{told}</p>
    <p className="quiet">This continues while you visit other pages in this tab.</p>
    <SecondaryButton onClick={() => stopWork(work.id)}>Stop</SecondaryButton>
  </section>
);

function workStatus(now: Exclude<Work['now'], { state: 'running' }>): string {
  if (now.state === 'done') return now.outcome.told;
  return now.state === 'stopped' ? 'Stopped.' : problemOf(now.error).advice;
}
