import { authorOf } from './amount.ts';
import { Text } from './text.tsx';

export function Author({ createdBy }: { createdBy: string }) {
  const { name, by } = authorOf(createdBy);
  return (
    <>
      <Text>{name}</Text>
      {by !== undefined && (
        <span className="quiet">
          {' '}
          (<Text>{by}</Text>)
        </span>
      )}
    </>
  );
}
