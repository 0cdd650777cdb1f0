import type { RecordItem } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Tabs } from 'radix-ui';
import { useMemo } from 'react';
import type { Sight } from '../../app/sight.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { LongText } from '../../ui/text.tsx';
import { noteFinder } from './field-note.ts';
import { inFieldOrder } from './field-order.ts';
import { fieldsIn, shapeOfRecord } from './record.ts';
import { Value } from './value.tsx';

interface RecordDataProps {
  readonly sight: Sight;
  readonly record: RecordItem;
  /** Of what it refers to, by durable ID. */
  readonly retracted: ReadonlySet<string>;
}

/** For reading, and as it is sent. */
export function RecordData({ sight, record, retracted }: RecordDataProps) {
  const { as } = useSearch({ from: '/$orgName/$repoName/record/$' });
  const navigate = useNavigate({ from: '/$orgName/$repoName/record/$' });
  if (record.purged) return null;
  const choose = (chosen: string) =>
    void navigate({
      to: '.',
      search: ({ as: _, ...others }) => (chosen === 'json' ? { ...others, as: 'json' } : others),
      replace: true,
      resetScroll: false,
    });
  return (
    <section aria-labelledby="record-data">
      <h2 id="record-data">{record.kind === 'collection' ? 'Members' : 'Data'}</h2>
      <Tabs.Root value={as ?? 'fields'} onValueChange={choose}>
        <Tabs.List aria-label="How the data is shown">
          <Tabs.Trigger value="fields">Fields</Tabs.Trigger>
          <Tabs.Trigger value="json">JSON</Tabs.Trigger>
        </Tabs.List>
        <Tabs.Content value="fields">
          <Fields sight={sight} record={record} retracted={retracted} />
        </Tabs.Content>
        <Tabs.Content value="json">
          <Json data={record.data} />
        </Tabs.Content>
      </Tabs.Root>
    </section>
  );
}

function Fields({ sight, record: { shapeName = '', data, refs }, retracted }: RecordDataProps) {
  const shape = useQuery({ ...shapeOfRecord(sight, shapeName), enabled: shapeName !== '' });
  const noteOf = useMemo(() => noteFinder(shape.data?.data), [shape.data]);
  const ordered = useMemo(
    () => (shape.data === undefined ? data : inFieldOrder(data, fieldsIn(shape.data))),
    [data, shape.data],
  );
  return <Value data={ordered} refs={refs} retracted={retracted} noteOf={noteOf} />;
}

function Json({ data }: { data: unknown }) {
  const text = useMemo(() => JSON.stringify(data, null, 2), [data]);
  return (
    <div className="json">
      <CopyButton text={text} what="the data as JSON" />
      <LongText>{text}</LongText>
    </div>
  );
}
