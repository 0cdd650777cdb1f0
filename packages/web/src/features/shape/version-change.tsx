import { definitionOf } from '@cairn/model/declaration';
import { useQuery } from '@tanstack/react-query';
import type { Sight } from '../../app/sight.ts';
import { Loaded } from '../../ui/page.tsx';
import { CodeText, Text } from '../../ui/text.tsx';
import { type ChangedPart, type FieldChange, fieldChanges, fieldsOf } from './fields.ts';
import { shapeVersion } from './shape.ts';
import { Arrow, ReferenceHint } from './shape-link.tsx';

interface VersionChangeProps {
  readonly sight: Sight;
  readonly name: string;
  readonly version: number;
  readonly against: number;
}

export function VersionChange({ sight, name, version, against }: VersionChangeProps) {
  const before = useQuery(shapeVersion(sight, name, against));
  const after = useQuery(shapeVersion(sight, name, version));
  return (
    <Loaded query={before} what={`version ${against}`} isPart>
      {(older) => (
        <Loaded query={after} what={`version ${version}`} isPart>
          {(newer) => <ShapeChanges before={older.data} after={newer.data} />}
        </Loaded>
      )}
    </Loaded>
  );
}

interface ShapeChangesProps {
  readonly before: unknown;
  readonly after: unknown;
  readonly same?: string;
}

export function ShapeChanges({ before, after, same = 'The fields did not change.' }: ShapeChangesProps) {
  const [older, newer] = [definitionOf(before), definitionOf(after)];
  const changes = fieldChanges(fieldsOf(older.fields), fieldsOf(newer.fields));
  const isRedescribed = older.description !== newer.description;
  if (changes.length === 0 && !isRedescribed) return <p className="quiet">{same}</p>;
  return (
    <>
      {changes.some(isOfReference) && <ReferenceHint />}
      <ul className="field-changes">
        {isRedescribed && (
          <li>
            <span className="done revise">changed</span> the description of the shape{' '}
            <ChangedPartText part={{ what: '', before: older.description ?? '', after: newer.description ?? '' }} />
          </li>
        )}
        {changes.map((change) => (
          <ChangeItem key={`${change.change} ${change.field.pointer}`} change={change} />
        ))}
      </ul>
    </>
  );
}

const isOfReference = ({ change, field, parts }: FieldChange): boolean =>
  change === 'changed' ? parts.some(({ what }) => what === 'refers to') : field.refersTo !== undefined;

const CLASS: Readonly<Record<FieldChange['change'], string>> = { added: 'add', removed: 'retract', changed: 'revise' };

const ChangeItem = ({ change: { path, change, field, parts } }: { change: FieldChange }) => (
  <li>
    <span className={`done ${CLASS[change]}`}>{change}</span> <CodeText>{path}</CodeText>{' '}
    {change === 'changed' ? (
      parts.map((part) => <ChangedPartText key={part.what} part={part} />)
    ) : (
      <span className="quiet">
        <Text>{field.isOptional ? `${field.type}, optional` : field.type}</Text>
      </span>
    )}
  </li>
);

const ChangedPartText = ({ part: { what, before, after } }: { part: ChangedPart }) => (
  <span className="part">
    {what !== '' && `${what}: `}
    <Side text={before} />
    <Arrow />
    <Side text={after} />
  </span>
);

const Side = ({ text }: { text: string }) => (text === '' ? <span className="quiet">none</span> : <Text>{text}</Text>);
