import { ANY_SHAPE } from '@cairn/model/declaration';
import { Link } from '@tanstack/react-router';
import { useId, useMemo, useState } from 'react';
import { toShape } from '../../app/links.ts';
import type { Sight } from '../../app/sight.ts';
import { type ShapeReference, targetName } from './fields.ts';
import { BOX, type Box, type Layout, layOut } from './shape-layout.ts';

const BOXES_MAX = 120;

/** The list next to the diagram is the accessible form. */
export function ShapeDiagram({ sight, references }: { sight: Sight; references: readonly ShapeReference[] }) {
  const [pointed, setPointed] = useState<string>();
  const layout = useMemo(() => layOut(references), [references]);
  const { boxes, width, height } = layout;
  if (boxes.length > BOXES_MAX) {
    return (
      <p className="quiet">
        {boxes.length.toLocaleString('en')} shapes are too many for a diagram. Open a shape to see its references.
      </p>
    );
  }
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      <section className="scrolled diagram" aria-label="Diagram of the shapes" tabIndex={0}>
        <div className="map" style={{ width, height }}>
          <Lines layout={layout} pointed={pointed} />
          <ul>
            {boxes.map((box) => (
              <BoxItem key={box.name} sight={sight} box={box} onPoint={setPointed} />
            ))}
          </ul>
        </div>
      </section>
      {layout.lines.some(({ isAbout }) => isAbout) && (
        <p className="hint">Dotted lines connect assertions to the records that they are about.</p>
      )}
    </>
  );
}

function Lines({ layout: { lines, width, height }, pointed }: { layout: Layout; pointed: string | undefined }) {
  const id = useId();
  return (
    <svg width={width} height={height} aria-hidden="true">
      <defs>
        <marker
          id={id}
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="8"
          markerHeight="8"
          markerUnits="userSpaceOnUse"
          orient="auto"
        >
          <path d="M0 0 L8 4 L0 8 Z" />
        </marker>
      </defs>
      {lines.map(({ from, to, isAbout, curve }) => {
        const isPointed = pointed === from || pointed === to;
        const classes = ['line', ...(isAbout ? ['about'] : []), ...(isPointed ? ['pointed'] : [])];
        return (
          <path key={`${from} ${to} ${isAbout}`} d={curve} className={classes.join(' ')} markerEnd={`url(#${id})`} />
        );
      })}
    </svg>
  );
}

interface BoxItemProps {
  readonly sight: Sight;
  readonly box: Box;
  readonly onPoint: (name: string | undefined) => void;
}

function BoxItem({ sight, box: { name, x, y }, onPoint }: BoxItemProps) {
  const style = { left: x, top: y, width: BOX.width, height: BOX.height };
  if (name === ANY_SHAPE) {
    return (
      <li style={style} className="any">
        {targetName(name)}
      </li>
    );
  }
  return (
    <li style={style}>
      <Link
        {...toShape(sight, name)}
        onMouseEnter={() => onPoint(name)}
        onMouseLeave={() => onPoint(undefined)}
        onFocus={() => onPoint(name)}
        onBlur={() => onPoint(undefined)}
      >
        {name}
      </Link>
    </li>
  );
}
