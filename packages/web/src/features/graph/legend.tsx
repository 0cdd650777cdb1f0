import { Text } from '../../ui/text.tsx';
import type { ShapeCount } from './palette.ts';
import type { WalkNode } from './walk-state.ts';

interface LegendProps {
  readonly shapes: readonly ShapeCount[];
  /** The record that the walk begins at, which has a ring. */
  readonly start: WalkNode | undefined;
  /** Whether records are shown that are retracted. */
  readonly hasRetracted: boolean;
  readonly without: ReadonlySet<string>;
  readonly onChange: (without: readonly string[]) => void;
}

/** What the colours mean, and which shapes are shown. */
export function Legend({ shapes, start, hasRetracted, without, onChange }: LegendProps) {
  const toggle = (shape: string) =>
    onChange(without.has(shape) ? [...without].filter((one) => one !== shape) : [...without, shape]);
  return (
    <fieldset className="legend">
      <legend>Shapes</legend>
      {shapes.map(({ shape, count, colour }) => (
        <label key={shape}>
          <input type="checkbox" checked={!without.has(shape)} onChange={() => toggle(shape)} />
          <span className={`swatch swatch-${colour}`} aria-hidden="true" />
          <Text>{shape}</Text>
          <span className="quiet">{count.toLocaleString('en')}</span>
        </label>
      ))}
      {start !== undefined && (
        <p>
          <span className="swatch swatch-start" aria-hidden="true" />
          <span>
            Begins at <Text>{start.name}</Text>
          </span>
        </p>
      )}
      {hasRetracted && (
        <p>
          <span className="swatch swatch-retracted" aria-hidden="true" />
          <span>Retracted, and others still refer to it</span>
        </p>
      )}
    </fieldset>
  );
}
