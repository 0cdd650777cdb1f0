// Renders data of any form. Nested parts fold, and are rendered when opened.

import { pointerTo } from '@cairn/model/json-pointer';
import { unpinWref } from '@cairn/model/wref';
import { Disclosure } from '../../ui/list.tsx';
import { LongText, ShowMore, Text, usePortion } from '../../ui/text.tsx';
import { RecordLink } from './record-link.tsx';
import { entriesOf, isContainer, isOpenAtFirst, sizeOf, sizeWords } from './wref.ts';

export interface FieldNote {
  readonly type: string;
  readonly description?: string | undefined;
}

interface ValueProps {
  readonly data: unknown;
  readonly refs?: readonly (readonly [string, string])[] | undefined;
  readonly retracted?: ReadonlySet<string> | undefined;
  readonly noteOf?: (pointer: string) => FieldNote | undefined;
}

interface KnownFields {
  readonly references: ReadonlyMap<string, boolean>;
  readonly noteOf: (pointer: string) => FieldNote | undefined;
}

interface ValuePartProps {
  readonly data: unknown;
  readonly pointer: string;
  readonly known: KnownFields;
  readonly depth: number;
}

const NOTHING_KNOWN = () => undefined;

export function Value({ data, refs = [], retracted, noteOf = NOTHING_KNOWN }: ValueProps) {
  const isRetracted = (id: string) => retracted?.has(unpinWref(id)) === true;
  const known = { references: new Map(refs.map(([pointer, id]) => [pointer, isRetracted(id)])), noteOf };
  return (
    <div className="value">
      <ValuePart data={data} pointer="" known={known} depth={0} />
    </div>
  );
}

function ValuePart(place: ValuePartProps) {
  const { data, pointer, known, depth } = place;
  if (!isContainer(data)) return <Scalar data={data} isRetracted={known.references.get(pointer)} />;
  if (sizeOf(data) === 0) return <span className="quiet">{Array.isArray(data) ? 'empty list' : 'no fields'}</span>;
  if (depth === 0) return <Entries {...place} />;
  return (
    <Disclosure className="value-folded" summary={sizeWords(data)} isOpenAtFirst={isOpenAtFirst(data, depth)}>
      {() => <Entries {...place} />}
    </Disclosure>
  );
}

/** `isRetracted` is undefined for anything but references. */
function Scalar({ data, isRetracted }: { data: unknown; isRetracted: boolean | undefined }) {
  if (typeof data !== 'string') return <code>{JSON.stringify(data) ?? 'nothing'}</code>;
  if (isRetracted !== undefined) {
    return (
      <>
        <RecordLink wref={data} /> {isRetracted && <span className="label">retracted</span>}
      </>
    );
  }
  if (data === '') return <span className="quiet">empty text</span>;
  if (data.trim() === '') return <span className="quiet">only spaces ({data.length.toLocaleString('en')})</span>;
  return <TextValue text={data} />;
}

const LINE = 200;

const TextValue = ({ text }: { text: string }) =>
  text.length <= LINE && !text.includes('\n') ? <Text>{text}</Text> : <LongText>{text}</LongText>;

function Entries({ data, pointer, known, depth }: ValuePartProps) {
  const { shown, left, more } = usePortion(entriesOf(data));
  const isList = Array.isArray(data);
  return (
    <>
      <dl className={isList ? 'value-entries value-items' : 'value-entries'}>
        {shown.map(([name, value]) => {
          const there = pointerTo(pointer, name);
          return (
            <div key={name}>
              <dt>
                <Text>{name}</Text>
                {!isList && <Note note={known.noteOf(there)} />}
              </dt>
              <dd>
                <ValuePart data={value} pointer={there} known={known} depth={depth + 1} />
              </dd>
            </div>
          );
        })}
      </dl>
      <ShowMore left={left} more={more} what={isList ? 'items' : 'fields'} />
    </>
  );
}

function Note({ note }: { note: FieldNote | undefined }) {
  if (note === undefined) return null;
  return (
    <span className="value-note">
      <Text>{note.type}</Text>
      {note.description !== undefined && (
        <span className="value-what">
          <Text>{note.description}</Text>
        </span>
      )}
    </span>
  );
}
