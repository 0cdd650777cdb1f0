import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useDraft } from '../../app/draft.ts';
import { type Sight, useSight } from '../../app/sight.ts';
import type { Base, Change } from '../../data/change.ts';
import { isObject } from '../../data/declaration.ts';
import { repositoryText, type TextName } from '../../data/queries.ts';
import { ActionForm } from '../../parts/form/action-form.tsx';
import { TextField } from '../../parts/form/field.tsx';
import { problemsOf } from '../../parts/form/problems.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { useTitle } from '../../parts/title.ts';
import { useStage } from './use-stage.ts';
import { useUnsaved } from './use-unsaved.ts';
import { Writable } from './writable.tsx';
import '../../look/change.css';
import '../../look/readme.css';

const Readme = lazy(async () => ({ default: (await import('../repository/readme.tsx')).Readme }));

const TEXTS = {
  readme: {
    record: 'Content/Readme',
    title: 'Readme',
    hint: 'In Markdown. It is shown on the first page of the repository.',
  },
  agents: {
    record: 'Content/Agents',
    title: 'Text for agents',
    hint: 'In Markdown. Agents that come by MCP are given it: what is in the repository, and how to write to it.',
  },
} as const;

/** The texts about a repository are records too, and go the same way. */
export function EditText() {
  const sight = useSight();
  const { textName } = useParams({ from: '/$orgName/$repoName/edit-text/$textName' });
  const name: TextName = textName === 'agents' ? 'agents' : 'readme';
  const { title } = TEXTS[name];
  useTitle(title, `${sight.orgName}/${sight.repoName}`);
  const written = useQuery(repositoryText(sight, name));
  return (
    <Writable sight={sight} title={title}>
      <Loaded query={written} what="the text" isPart>
        {({ content, version }) => <Form key={name} {...{ sight, name, content, version }} />}
      </Loaded>
    </Writable>
  );
}

interface FormProps {
  readonly sight: Sight;
  readonly name: TextName;
  readonly content: string;
  readonly version: number;
}

function Form({ sight, name, content: written, version }: FormProps) {
  const { record, title, hint } = TEXTS[name];
  const { changes } = useDraft(sight);
  const stage = useStage(sight);
  const navigate = useNavigate();
  const [base] = useState<Base>({ kind: 'thing', version, isActive: true, data: { content: written } });
  const [content, setContent] = useState(() => contentIn(changes, record) ?? written);
  useUnsaved(content !== written && content !== contentIn(changes, record));
  const data = { content };
  const change = (): Change =>
    base.version === 0
      ? { step: 'add', kind: 'thing', name: record, data }
      : { step: 'revise', name: record, base, data };
  const problems = problemsOf(stage.error, ['/content']);
  const review = () =>
    stage.mutate(change(), {
      onSuccess: () => void navigate({ to: '/$orgName/$repoName/draft', params: sight, ignoreBlocker: true }),
    });
  return (
    <div className="text-edit">
      <ActionForm
        label={title}
        action="Review"
        doing="Checking…"
        isPending={stage.isPending}
        isReady={content !== written}
        problem={problems.whole}
        onSubmit={review}
      >
        <TextField
          label={title}
          hint={hint}
          isLong
          value={content}
          onChange={setContent}
          problem={problems.byPath.get('/content')}
        />
      </ActionForm>
      <section className="readme" aria-label="As it will be shown">
        <h2>As it will be shown</h2>
        <Suspense fallback={<p className="waiting">Loading…</p>}>
          <Readme sight={sight} content={content} />
        </Suspense>
      </section>
    </div>
  );
}

function contentIn(changes: readonly Change[], record: string): string | undefined {
  const kept = changes.find(({ name }) => name === record);
  const data = kept !== undefined && 'data' in kept ? kept.data : undefined;
  return isObject(data) && typeof data.content === 'string' ? data.content : undefined;
}
