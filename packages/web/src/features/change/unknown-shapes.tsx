// References can be declared before what they are to; more often, the name was mistyped.
import { useQuery } from '@tanstack/react-query';
import { description } from '../../app/queries.ts';
import type { Sight } from '../../app/sight.ts';
import { Text } from '../../ui/text.tsx';
import { ANY_SHAPE, isObject } from '../shape/declaration.ts';
import { addedShapes } from '../shape/drafted-shape.ts';
import { fieldsOf } from '../shape/fields.ts';
import { useDraft } from './kept-draft.ts';

/** The shapes that there are, and those that the draft adds; nothing until they are known. */
export function useKnownShapes(sight: Sight): readonly string[] | undefined {
  const { data } = useQuery(description(sight));
  const { changes } = useDraft(sight);
  if (data === undefined) return undefined;
  const renamed = changes.flatMap((change) =>
    change.step === 'rename' && change.base.kind === 'shape' ? [change.newName] : [],
  );
  return [...new Set([...data.shapes.map(({ name }) => name), ...addedShapes(changes), ...renamed])];
}

interface UnknownShapesProps {
  readonly named: readonly string[];
  readonly known: readonly string[] | undefined;
}

export function UnknownShapes({ named, known }: UnknownShapesProps) {
  const unknown = known === undefined ? [] : [...new Set(named)].filter((name) => !known.includes(name));
  return (
    <span role="status">
      {unknown.length > 0 && (
        <strong>
          There is no shape <Text>{unknown.join(', ')}</Text> yet: such a field can hold nothing until there is.
        </strong>
      )}
    </span>
  );
}

/** The same of a whole shape. */
export function UnknownShapesIn({ sight, name, data }: { sight: Sight; name: string; data: unknown }) {
  const known = useKnownShapes(sight);
  const fields = isObject(data) ? fieldsOf(data.fields) : [];
  const named = fields.flatMap(({ refersTo = [] }) => refersTo).filter((one) => one !== ANY_SHAPE && one !== name);
  return <UnknownShapes named={named} known={known} />;
}
