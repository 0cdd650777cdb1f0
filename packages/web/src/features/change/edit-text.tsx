import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { repositoryText, type TextName } from '../../app/queries.ts';
import { type Sight, useSight } from '../../app/sight.ts';
import { ActionForm } from '../../ui/action-form.tsx';
import { TextField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/page.tsx';
import { problemsOf } from '../../ui/problems.ts';
import { Section } from '../../ui/text.tsx';
import { record } from '../record/record.ts';
import { contentOf, TEXT_RECORDS } from '../repository/repository-text.ts';
import { Faster, HereAgain } from './begun-note.tsx';
import type { Added, Base, Change } from './change.ts';
import { useDraft } from './kept-draft.ts';
import { useFilled, useReview } from './use-stage.ts';
import { Writable } from './writable.tsx';

const Readme = lazy(async () => ({ default: (await import('../repository/readme.tsx')).Readme }));

const TEXTS = {
  readme: { title: 'Readme', hint: 'Markdown, shown on the overview of the repository.' },
  agents: {
    title: 'Instructions for agents',
    hint: 'Markdown for agents that connect over MCP: what the repository contains, and how to write to it.',
  },
} as const;

export function EditText() {
  const sight = useSight();
  const { textName } = useParams({ from: '/$orgName/$repoName/edit-text/$textName' });
  const name: TextName = textName === 'agents' ? 'agents' : 'readme';
  const { title } = TEXTS[name];
  const written = useQuery(repositoryText(sight, name));
  return (
    <Writable sight={sight} title={title}>
      <Loaded query={written} what="the text" isPart isForm>
        {({ content, version }) => <TextForm key={name} {...{ sight, name, content, version }} />}
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

function TextForm({ sight, name, content: written, version }: FormProps) {
  const { title, hint } = TEXTS[name];
  const recordName = TEXT_RECORDS[name];
  const { changes } = useDraft(sight);
  const kept = changes.find((change): change is Added => change.step === 'add' && change.name === recordName);
  const drafted = changes.find((change) => change.name === recordName);
  const { stage, review, form } = useReview(sight, kept);
  const { filled, fill, isBack, first, begin, box, done } = useFilled(sight, `text ${name}`, () => ({
    base: baseAt(version, written),
    content: (drafted && 'data' in drafted ? contentOf(drafted.data) : undefined) ?? written,
  }));
  const { base, content } = filled;
  const isLate = version > base.version;
  const { data: head } = useQuery({ ...record(sight, recordName), enabled: isLate });
  const data = { content };
  const change = (): Change => {
    if (base.version > 0) return { step: 'revise', name: recordName, base, data };
    // Both sides were added, so the difference is against the present text.
    if (version > 0) return { step: 'revise', name: recordName, base: baseAt(version, written), data };
    return { step: 'add', kind: 'thing', name: recordName, data };
  };
  const problems = problemsOf(stage.error, ['/content']);
  return (
    <div className="text-edit" ref={box}>
      {isBack && <HereAgain onAnew={() => begin(first)} isLate={isLate} />}
      {head !== undefined && isLate && (
        <Faster
          head={head}
          version={base.version}
          onAnew={() => begin({ base: baseAt(version, written), content: written })}
        />
      )}
      <ActionForm
        label={title}
        {...form}
        isReady={content !== written}
        problem={problems.whole}
        onSubmit={() => review(change(), done)}
      >
        <TextField
          label={title}
          hint={hint}
          isLong
          value={content}
          onChange={(next) => fill({ content: next })}
          problem={problems.byPath.get('/content')}
        />
      </ActionForm>
      <Section title="Preview" className="readme">
        <Suspense fallback={<p className="waiting">Loading…</p>}>
          <Readme sight={sight} content={content} />
        </Suspense>
      </Section>
    </div>
  );
}

const baseAt = (version: number, content: string): Base => ({
  kind: 'thing',
  version,
  isActive: true,
  data: { content },
});
