import { splitWref } from '@cairn/model/wref';
import type { ListedRecord } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { Sight } from '../../app/sight.ts';
import { SmallButton } from '../../ui/button.tsx';
import { useSettled } from '../../ui/page.tsx';
import { Text } from '../../ui/text.tsx';
import { isNamed } from '../change/change.ts';
import { useDraft } from '../change/kept-draft.ts';
import { whereabouts } from '../record/record.ts';
import { foundRecords, isBareName, meantBy, pieceOf, stepTo } from './found-records.ts';

interface RecordBoxProps {
  readonly id: string;
  readonly sight: Sight;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly shapes?: readonly string[] | undefined;
  readonly isList?: boolean;
  readonly hasRetracted?: boolean;
  readonly 'aria-describedby'?: string | undefined;
  readonly 'aria-invalid'?: boolean | undefined;
}

/** Arrows move, Enter chooses, Escape closes. */
export function RecordBox(props: RecordBoxProps) {
  const { id, sight, value, onChange, shapes, isList = false, hasRetracted = false, ...described } = props;
  const [isOpen, setOpen] = useState(false);
  const [activeName, setActive] = useState<string>();
  const { typed, take } = pieceOf(value, isList);
  const { records: found, isFresh } = useFound({ sight, shapes, hasRetracted, typed: typed.trim(), isWanted: isOpen });
  const records = [...useDrafted({ sight, shapes, typed: typed.trim() }), ...found];
  const active = records.findIndex(({ name }) => name === activeName);
  // Hides the list, which would cover the next control.
  const isWhole = records.length === 1 && records[0]?.name === typed.trim();
  const isListed = isOpen && records.length > 0 && !isWhole;
  const close = () => {
    setOpen(false);
    setActive(undefined);
  };
  const choose = (name: string) => {
    onChange(take(name));
    close();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const record = records[active];
    const next = event.key.startsWith('Arrow') ? stepTo(event.key, active, records.length) : undefined;
    if (event.key === 'Enter' && isListed && record !== undefined) choose(record.name);
    else if (event.key === 'Escape' && isOpen) close();
    else if (next !== undefined) {
      setOpen(true);
      setActive(isListed ? records[next]?.name : undefined);
    } else return;
    event.preventDefault();
  };
  return (
    <div className="record-box">
      <input
        id={id}
        type="text"
        role="combobox"
        placeholder="Search by name"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        aria-autocomplete="list"
        aria-expanded={isListed}
        aria-controls={`${id}-found`}
        aria-activedescendant={isListed && active >= 0 ? `${id}-${active}` : undefined}
        {...described}
        value={value}
        onChange={({ target }) => {
          onChange(target.value);
          setOpen(true);
          setActive(undefined);
        }}
        onBlur={close}
        onKeyDown={onKeyDown}
      />
      <FoundList id={id} records={isListed ? records : []} active={active} onChoose={choose} />
      {!isOpen && isFresh && isBareName(typed) && <FullName typed={typed.trim()} records={records} onChoose={choose} />}
      {described['aria-invalid'] && <PresentName sight={sight} typed={typed.trim()} onChoose={choose} />}
    </div>
  );
}

interface SearchRequest extends Pick<RecordBoxProps, 'sight' | 'shapes' | 'hasRetracted'> {
  readonly typed: string;
  readonly isWanted: boolean;
}

/** Filters the previous results until the new ones arrive. */
function useFound({ sight, shapes, hasRetracted = false, typed, isWanted }: SearchRequest) {
  const asked = useSettled(typed);
  const {
    data = [],
    isSuccess,
    isPlaceholderData,
  } = useQuery({
    ...foundRecords(sight, asked, { shapes, includeRetracted: hasRetracted }),
    enabled: isWanted || isBareName(asked),
  });
  const isFresh = isSuccess && !isPlaceholderData && asked === typed;
  const fits = ({ name }: ListedRecord) => name.toLowerCase().includes(typed.toLowerCase());
  return { records: isFresh ? data : data.filter(fits), isFresh };
}

type Offered = Pick<ListedRecord, 'durableId' | 'name' | 'active'> & { readonly isDrafted?: true };

function useDrafted({ sight, shapes, typed }: Omit<SearchRequest, 'isWanted'>): readonly Offered[] {
  const { changes } = useDraft(sight);
  return changes
    .filter((change) => change.step === 'add' && change.kind !== 'shape' && isNamed(change))
    .filter(({ name }) => shapes === undefined || shapes.includes(name.split('/')[0] ?? ''))
    .filter(({ name }) => typed !== '' && name !== typed && name.toLowerCase().includes(typed.toLowerCase()))
    .map(({ name }) => ({ durableId: `draft ${name}`, name, active: true, isDrafted: true }));
}

interface FoundListProps {
  readonly id: string;
  readonly records: readonly Offered[];
  readonly active: number;
  readonly onChoose: (name: string) => void;
}

function FoundList({ id, records, active, onChoose }: FoundListProps) {
  const list = useRef<HTMLDivElement>(null);
  // The list may open below the visible part of the page.
  useEffect(() => {
    if (records.length > 0) list.current?.scrollIntoView({ block: 'nearest' });
  }, [records.length]);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    <div ref={list} id={`${id}-found`} role="listbox" aria-label="Matching records" hidden={records.length === 0}>
      {records.map(({ durableId, name, active: isActive, isDrafted = false }, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the keys.
        <div
          key={durableId}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(name)}
        >
          <Text>{name}</Text> {!isActive && <span className="label">retracted</span>}
          {isDrafted && <span className="label">in your draft</span>}
        </div>
      ))}
    </div>
  );
}

function FullName({
  typed,
  records,
  onChoose,
}: Pick<FoundListProps, 'records' | 'onChoose'> & { readonly typed: string }) {
  const meant = meantBy(typed, records);
  return (
    <p className="hint" role="status">
      {meant === undefined ? (
        'No record has this name. A full name has a shape and a slash, such as Shape/name.'
      ) : (
        <>
          A full name includes the shape:{' '}
          <SmallButton onClick={() => onChoose(meant.name)}>
            Use <Text>{meant.name}</Text>
          </SmallButton>
        </>
      )}
    </p>
  );
}

function PresentName({ sight, typed, onChoose }: Pick<FoundListProps, 'onChoose'> & { sight: Sight; typed: string }) {
  const { name } = splitWref(typed);
  const { data } = useQuery({ ...whereabouts(sight, name), enabled: false });
  if (data?.kind !== 'renamed' || data.name === name) return null;
  return (
    <p className="hint">
      <SmallButton onClick={() => onChoose(`${data.name}${typed.slice(name.length)}`)}>
        Use <Text>{data.name}</Text>
      </SmallButton>
    </p>
  );
}
