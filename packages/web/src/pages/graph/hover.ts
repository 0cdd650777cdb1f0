import type { NodeHoverDrawingFunction } from 'sigma/rendering';
import type { Look } from './look.ts';

const PADDING = 4;

/** The name of a record that is pointed at or selected, on the colour of the page, within a frame. */
export function drawHover<Node extends object, Edge extends object>({
  ink,
  paper,
  accent,
}: Look): NodeHoverDrawingFunction<Node, Edge> {
  return (context, { x, y, size, label }, { labelSize, labelFont, labelWeight }) => {
    context.strokeStyle = accent;
    context.lineWidth = 2;
    context.beginPath();
    context.arc(x, y, size + 1, 0, Math.PI * 2);
    context.stroke();
    if (!label) return;
    context.font = `${labelWeight} ${labelSize}px ${labelFont}`;
    // It covers the label that stands there already.
    const [left, top] = [x + size + 1, y - labelSize / 2 - PADDING];
    const [width, height] = [context.measureText(label).width + 2 * PADDING, labelSize + 2 * PADDING];
    context.fillStyle = paper;
    context.fillRect(left, top, width, height);
    context.lineWidth = 1;
    context.strokeRect(left, top, width, height);
    context.fillStyle = ink;
    context.fillText(label, left + PADDING, y + labelSize / 3);
  };
}
