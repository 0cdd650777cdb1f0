import { diffLines } from 'diff';
import { Text } from '../../ui/text.tsx';

const AROUND = 3;
const LINE_MOST = 2_000;

export function LineDifference({ before, after }: { before: string; after: string }) {
  const parts = diffLines(before, after);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <pre className="line-difference" tabIndex={0}>
      {parts.map(({ value, added, removed }, index) => {
        const lines = value.replace(/\n$/, '').split('\n');
        const shown =
          added || removed ? lines : shortened(lines, { isFirst: index === 0, isLast: index === parts.length - 1 });
        const Mark = added ? 'ins' : removed ? 'del' : 'span';
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a difference that changes is another one.
          <Mark key={index}>
            {shown.map((line, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: as above.
              <span key={place} className="line">
                {added ? '+ ' : removed ? '− ' : '  '}
                <Text most={LINE_MOST}>{line}</Text>
                {'\n'}
              </span>
            ))}
          </Mark>
        );
      })}
    </pre>
  );
}

function shortened(
  lines: readonly string[],
  { isFirst, isLast }: { isFirst: boolean; isLast: boolean },
): readonly string[] {
  const [head, tail] = [isFirst ? 0 : AROUND, isLast ? 0 : AROUND];
  if (lines.length <= head + tail + 1) return lines;
  return [...lines.slice(0, head), `… ${lines.length - head - tail} lines …`, ...lines.slice(lines.length - tail)];
}
