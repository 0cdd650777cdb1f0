import { Link } from '@tanstack/react-router';
import type { Sight } from '../../app/sight.ts';
import { CommandNote } from '../../ui/command-note.tsx';
import { AddShapeLink, ImportLink, WriteLinks } from '../change/write-links.tsx';

/** What to do with a repository that is empty. */
export function FirstSteps({ sight }: { sight: Sight }) {
  const { orgName, repoName } = sight;
  const repo = `${orgName}/${repoName}`;
  return (
    <section aria-labelledby="first-steps">
      <h2 id="first-steps">Nothing is in it yet</h2>
      <p>
        A repository holds records. A shape says which fields the records of one sort have, and each change is a commit.
        So the first steps are a shape and a record of it.
      </p>
      <WriteLinks sight={sight}>
        <AddShapeLink sight={sight} />
        <ImportLink sight={sight} />
      </WriteLinks>
      <p>
        Programs need a token that may write here, which you make under <Link to="/-/tokens">Tokens</Link>.{' '}
        <CommandNote /> <a href="/docs/get-started">Get started</a> has it step by step.
      </p>
      <Step name="With the command" text={byCommand(repo)} />
      <Step name="With the SDK" text={bySdk(orgName, repoName)} />
      <p className="quiet">This page shows what you write as soon as it is there.</p>
    </section>
  );
}

function Step({ name, text }: { name: string; text: string }) {
  return (
    <>
      <h3>{name}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </>
  );
}

const byCommand = (repo: string): string => `export CAIRN_URL=${window.location.origin} CAIRN_REPO=${repo} CAIRN_TOKEN=…
cairn shape create Place --fields '{"label":"string"}' --description 'A place that one can walk to'
cairn commit submit --add Place/cave --data '{"label":"The old cave"}' --message 'The first place'`;

const bySdk = (orgName: string, repoName: string): string => `import { CairnClient } from '@cairn/sdk';

const client = CairnClient.fromEnv(); // CAIRN_URL=${window.location.origin} CAIRN_TOKEN=...
await client.shape.create('${orgName}', '${repoName}', 'Place', { fields: { label: 'string' } });
await client.commit.submit('${orgName}', '${repoName}', {
  message: 'The first place',
  operations: [{ operation: 'add', name: 'Place/cave', data: { label: 'The old cave' } }],
});`;
