// The names of a picture. They are gathered while it is drawn, and set down when all of them are known.
import type { NodeHoverDrawingFunction, NodeLabelDrawingFunction } from 'sigma/rendering';
import type { Settings } from 'sigma/settings';
import type { NodeDisplayData, PartialButFor } from 'sigma/types';
import { placeNames, type Rectangle } from './label-place.ts';
import type { Look } from './look.ts';

/** What is drawn around a node beside its disc. */
export interface Ringed {
  /** `start`: the walk begins there; `retracted`: it is there no more, and its disc is hollow. */
  readonly ring?: 'start' | 'retracted' | undefined;
}

type Gathered = PartialButFor<NodeDisplayData, 'x' | 'y' | 'size' | 'label' | 'color'> &
  Ringed & { readonly key?: string };

interface Room {
  readonly width: number;
  readonly height: number;
}

const RING_PX = 4;
const LINE_GAP_PX = 3;
const PADDING_PX = 4;

export class Labels<Node extends object, Edge extends object> {
  #look: Look;
  #gathered: Gathered[] = [];
  #context: CanvasRenderingContext2D | undefined;
  #settings: Settings<Node, Edge> | undefined;
  readonly #places = new Map<string, Rectangle>();

  readonly #roomNow: () => Room;

  constructor(look: Look, roomNow: () => Room) {
    this.#look = look;
    this.#roomNow = roomNow;
  }

  recolour(look: Look): void {
    this.#look = look;
  }

  readonly gather: NodeLabelDrawingFunction<Node, Edge> = (context, data, settings) => {
    this.#gathered.push(data as Gathered);
    this.#context = context;
    this.#settings = settings;
  };

  /** Whether names were left out for want of room. */
  hasLeftOut = false;

  /** What was gathered; what matters more has the better place. */
  draw(): void {
    const [context, settings] = [this.#context, this.#settings];
    if (this.#gathered.length === 0 || context === undefined || settings === undefined) return;
    const nodes = this.#gathered.sort((one, other) => weightOf(other) - weightOf(one));
    this.#gathered = [];
    this.#places.clear();
    const { labelSize, labelFont, labelWeight } = settings;
    context.font = `${labelWeight} ${labelSize}px ${labelFont}`;
    const named = nodes.map(({ x, y, size, label, ring, highlighted = false }) => ({
      x,
      y,
      size: ring === 'start' ? size + RING_PX : size,
      width: label ? context.measureText(label).width : 0,
      isNeeded: highlighted || ring === 'start',
    }));
    const places = placeNames(named, { room: this.#roomNow(), height: labelSize + LINE_GAP_PX });
    this.hasLeftOut = named.some(({ width }, index) => width > 0 && places[index] === undefined);
    nodes.forEach((node, index) => {
      this.#drawRing(context, node);
      const place = places[index];
      if (place === undefined || !node.label) return;
      if (node.key !== undefined) this.#places.set(node.key, place);
      context.fillStyle = node.ring === 'retracted' ? this.#look.quiet : this.#look.ink;
      context.fillText(node.label, place.left, baselineOf(place, labelSize));
    });
  }

  /** The name of a record that is pointed at or selected, on the colour of the page, within a frame. */
  readonly drawHover: NodeHoverDrawingFunction<Node, Edge> = (context, data, settings) => {
    // It stands where the name does, which is known when all are set down.
    this.draw();
    const { key, x, y, size, label } = data as Gathered;
    const { labelSize, labelFont, labelWeight } = settings;
    const { accent, paper, ink } = this.#look;
    context.strokeStyle = accent;
    context.lineWidth = 2;
    context.beginPath();
    context.arc(x, y, size + 1, 0, Math.PI * 2);
    context.stroke();
    if (!label) return;
    context.font = `${labelWeight} ${labelSize}px ${labelFont}`;
    const [width, height] = [context.measureText(label).width, labelSize + LINE_GAP_PX];
    const [alone] = placeNames([{ x, y, size, width, isNeeded: true }], { room: this.#roomNow(), height });
    const place = this.#places.get(key ?? '') ?? alone;
    if (place === undefined) return;
    // It covers the name that stands there already.
    const frame = [place.left - PADDING_PX, place.top - 1, place.width + 2 * PADDING_PX, place.height + 2] as const;
    context.fillStyle = paper;
    context.fillRect(...frame);
    context.lineWidth = 1;
    context.strokeRect(...frame);
    context.fillStyle = ink;
    context.fillText(label, place.left, baselineOf(place, labelSize));
  };

  #drawRing(context: CanvasRenderingContext2D, { x, y, size, ring }: Gathered): void {
    if (ring === undefined) return;
    const isStart = ring === 'start';
    context.strokeStyle = isStart ? this.#look.ink : this.#look.quiet;
    context.lineWidth = isStart ? 2 : 1.5;
    context.setLineDash(isStart ? [] : [3, 2]);
    context.beginPath();
    context.arc(x, y, isStart ? size + RING_PX : size, 0, Math.PI * 2);
    context.stroke();
    context.setLineDash([]);
  }
}

const weightOf = ({ highlighted, ring, zIndex = 0, size }: Gathered): number =>
  (highlighted ? 4_000 : 0) + (ring === 'start' ? 2_000 : 0) + zIndex + size / 100;

const baselineOf = ({ top, height }: Rectangle, labelSize: number): number => top + height / 2 + labelSize / 3;
