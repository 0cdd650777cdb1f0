import { definitionOf } from '@cairn/model/declaration';
import type { ShapeItem } from '@cairn/sdk';
import type { Sight } from '../../app/sight.ts';
import { ScrolledTable } from '../../ui/list.tsx';
import { CodeText, ShowMore, Text, usePortion } from '../../ui/text.tsx';
import { type Field, fieldsOf } from './fields.ts';
import { ReferenceHint, Targets } from './shape-link.tsx';

type Indexes = ShapeItem['indexes'];

interface FieldTableProps {
  readonly sight: Sight;
  readonly data: unknown;
  readonly indexes: Indexes;
  readonly label?: string;
}

const HEADS = ['Field', 'Type', 'Presence', 'Constraints', 'Indexed', 'Description'];

export function FieldTable({ sight, data, indexes, label }: FieldTableProps) {
  const fields = fieldsOf(definitionOf(data).fields);
  const { shown, left, more } = usePortion(fields);
  if (data === null) return <p className="quiet">The fields are hidden from you.</p>;
  if (fields.length === 0)
    return <p className="quiet">This shape declares no fields, so its records can hold any data.</p>;
  return (
    <>
      {label === undefined && fields.some(({ refersTo }) => refersTo !== undefined) && <ReferenceHint />}
      <ScrolledTable label={label ?? 'Table of fields'} heads={HEADS} className="fields">
        {shown.map((field) => (
          <FieldRow key={field.pointer} sight={sight} field={field} indexes={indexes} />
        ))}
      </ScrolledTable>
      <ShowMore left={left} more={more} what="fields" />
    </>
  );
}

function FieldRow({ sight, field, indexes }: { sight: Sight; field: Field; indexes: Indexes }) {
  const { path, pointer, type, isOptional, refersTo, constraints, isIndexed, description } = field;
  return (
    <tr>
      <th scope="row">
        <CodeText>{path}</CodeText>
      </th>
      <td>
        <Text>{type}</Text> {refersTo !== undefined && <Targets sight={sight} refersTo={refersTo} />}
      </td>
      <td>{isOptional ? 'optional' : 'required'}</td>
      <td>{constraints.length > 0 && <Text>{constraints.join('; ')}</Text>}</td>
      <td>{isIndexed && <IndexState state={indexes.find((index) => index.path === pointer)?.state} />}</td>
      <td>{description !== undefined && <Text>{description}</Text>}</td>
    </tr>
  );
}

function IndexState({ state }: { state: Indexes[number]['state'] | undefined }) {
  if (state === 'building')
    return <span title="Filters on this field work already, but are slower until the index is built.">building</span>;
  return 'yes';
}
