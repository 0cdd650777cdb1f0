import { useEffect, useRef, useState } from 'react';
import { SmallButton } from '../../ui/button.tsx';
import { Drawing, type DrawingEvents } from './drawing.ts';
import type { Marks } from './look.ts';
import { countsOf, type ShownPart, type WalkState } from './walk-state.ts';

interface GraphCanvasProps {
  readonly state: WalkState;
  readonly shown: ShownPart;
  readonly marks: Marks;
  readonly onSelect: (id: string | undefined) => void;
  readonly onExpand: (id: string) => void;
}

const ZOOM = 1.5;

export function GraphCanvas({ state, shown, marks, onSelect, onExpand }: GraphCanvasProps) {
  const [isSettled, setSettled] = useState(false);
  const [hasLeftOut, setLeftOut] = useState(false);
  const [isWheeled, setWheeled] = useState(false);
  const { selected } = marks;
  const selectedHere = useRef<string>(undefined);
  const { container, drawing } = useDrawing({
    onSelect: (id) => {
      selectedHere.current = id;
      onSelect(id);
    },
    onExpand,
    onSettled: () => setSettled(true),
    onNamed: setLeftOut,
    onWheel: (isZoom) => setWheeled(!isZoom),
  });
  useEffect(() => {
    if (drawing?.hold(state)) setSettled(false);
  }, [drawing, state]);
  useEffect(() => drawing?.mark(marks), [drawing, marks]);
  useEffect(() => {
    if (selected !== undefined && selected !== selectedHere.current) drawing?.show(selected);
    selectedHere.current = selected;
  }, [drawing, selected]);
  const said = `Graph of ${countsOf(state, shown)}. The list shows the same records.`;
  return (
    <div className="graph-picture">
      <fieldset className="graph-zoom">
        <legend className="hidden">View</legend>
        <SmallButton aria-label="Zoom in" onClick={() => drawing?.zoomBy(1 / ZOOM)}>
          +
        </SmallButton>
        <SmallButton aria-label="Zoom out" onClick={() => drawing?.zoomBy(ZOOM)}>
          −
        </SmallButton>
        <SmallButton onClick={() => drawing?.fit()}>Fit</SmallButton>
        <span className="quiet" role="status">
          {pictureStatus(isSettled, isWheeled, hasLeftOut)}
        </span>
      </fieldset>
      <div
        ref={container}
        className="graph-canvas"
        role="img"
        aria-label={said}
        data-settled={isSettled}
        onPointerLeave={() => setWheeled(false)}
      />
    </div>
  );
}

function pictureStatus(isSettled: boolean, isWheeled: boolean, hasLeftOut: boolean): string {
  if (isWheeled) return 'Hold Ctrl or ⌘ to zoom with the mouse wheel';
  if (!isSettled) return 'Laying out…';
  if (!hasLeftOut) return '';
  // A touch cannot hover.
  const canPoint = matchMedia('(hover: hover)').matches;
  return canPoint ? 'Zoom in or point at a record to see more names' : 'Zoom in to see more names';
}

function useDrawing(events: DrawingEvents) {
  const container = useRef<HTMLDivElement>(null);
  const places = useRef(new Map<string, { x: number; y: number }>());
  const latest = useRef(events);
  latest.current = events;
  const [drawing, setDrawing] = useState<Drawing>();
  useEffect(() => {
    if (container.current === null) return;
    const made = new Drawing(container.current, places.current, () => latest.current);
    setDrawing(made);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const recolour = () => made.recolour();
    dark.addEventListener('change', recolour);
    return () => {
      dark.removeEventListener('change', recolour);
      setDrawing(undefined);
      made.end();
    };
  }, []);
  return { container, drawing };
}
