import type { MultiDirectedGraph } from 'graphology';
import type Sigma from 'sigma';
// Labels are gathered during rendering and placed together; edge labels take what is left.
import type { EdgeLabelDrawingFunction, NodeHoverDrawingFunction, NodeLabelDrawingFunction } from 'sigma/rendering';
import type { Settings } from 'sigma/settings';
import type { NodeDisplayData, PartialButFor } from 'sigma/types';
import {
  type Disc,
  isInside,
  type NamedNode,
  placeNames,
  placeOnEdge,
  type Rectangle,
  type Room,
  shortName,
  TakenRoom,
  type Tie,
} from './label-place.ts';
import type { EdgeAttributes, Look, NodeAttributes } from './look.ts';
import { type Ringed, roundRing } from './ringed-arrow.ts';

type Gathered = PartialButFor<NodeDisplayData, 'x' | 'y' | 'size' | 'label' | 'color'> &
  Ringed & { readonly key?: string };

const LINE_GAP_PX = 3;
const PADDING_PX = 4;
/** Keeps lines from running through letters. */
const HALO_PX = 3;

export class Labels<Node extends object, Edge extends object> {
  #look: Look;
  #gathered: Gathered[] = [];
  #context: CanvasRenderingContext2D | undefined;
  #settings: Settings<Node, Edge> | undefined;
  readonly #places = new Map<string, Rectangle>();
  /** Edge labels are redrawn on hover while the others are not. */
  readonly #edgePlaces = new Map<string, Rectangle | undefined>();
  #taken: TakenRoom | undefined;
  readonly #picture: Picture;

  constructor(look: Look, picture: Picture) {
    this.#look = look;
    this.#picture = picture;
  }

  recolour(look: Look): void {
    this.#look = look;
  }

  readonly gather: NodeLabelDrawingFunction<Node, Edge> = (context, data, settings) => {
    this.#gathered.push(data as Gathered);
    this.#context = context;
    this.#settings = settings;
  };

  hasLeftOut = false;

  draw(): void {
    const [context, settings] = [this.#context, this.#settings];
    if (this.#gathered.length === 0 || context === undefined || settings === undefined) return;
    const nodes = this.#gathered.sort((one, other) => weightOf(other) - weightOf(one));
    this.#gathered = [];
    this.#places.clear();
    this.#edgePlaces.clear();
    const { labelSize, labelFont, labelWeight } = settings;
    context.font = `${labelWeight} ${labelSize}px ${labelFont}`;
    const named = nodes.map((node) => this.#named(node, context));
    const room = this.#picture.room();
    this.#taken = new TakenRoom(room);
    const placing = { room, height: labelSize + LINE_GAP_PX, taken: this.#taken };
    const places = placeNames([...named, ...this.#unnamed(nodes)], placing);
    const isWhole = (index: number) => places[index]?.width === named[index]?.width;
    this.hasLeftOut = named.some((node, index) => node.width > 0 && isInside(node, room) && !isWhole(index));
    nodes.forEach((node, index) => {
      this.#drawRing(context, node);
      const place = places[index];
      if (place === undefined || !node.label) return;
      if (node.key !== undefined && isWhole(index)) this.#places.set(node.key, place);
      const text = isWhole(index) ? node.label : (shortName(node.label) ?? '');
      const at = [place.left, baselineOf(place, labelSize)] as const;
      context.lineWidth = 2 * HALO_PX;
      context.lineJoin = 'round';
      context.strokeStyle = this.#look.paper;
      context.strokeText(text, ...at);
      context.fillStyle = node.ring === 'retracted' ? this.#look.quiet : this.#look.ink;
      context.fillText(text, ...at);
    });
  }

  #named(node: Gathered, context: CanvasRenderingContext2D): NamedNode {
    const { x, y, size, label, ring, key, highlighted = false } = roundRing(node);
    const widthOf = (text: string) => context.measureText(text).width;
    const isNeeded = highlighted || ring === 'start';
    // A shortened label would lose "retracted".
    const short = label && !isNeeded && ring === undefined ? shortName(label) : undefined;
    return {
      x,
      y,
      size,
      width: label ? widthOf(label) : 0,
      shortWidth: short === undefined ? undefined : widthOf(short),
      isNeeded,
      ties: key === undefined ? [] : this.#picture.ties(key),
    };
  }

  #unnamed(nodes: readonly Gathered[]): NamedNode[] {
    const keys = new Set(nodes.map(({ key }) => key));
    const others: NamedNode[] = [];
    for (const [key, disc] of this.#picture.nodes()) if (!keys.has(key)) others.push({ ...disc, width: 0 });
    return others;
  }

  readonly drawEdgeLabel: EdgeLabelDrawingFunction<Node, Edge> = (context, edge, from, to, settings) => {
    const { key = '', label } = edge as typeof edge & { readonly key?: string };
    if (!label) return;
    this.draw();
    const { edgeLabelSize, edgeLabelFont, edgeLabelWeight } = settings;
    context.font = `${edgeLabelWeight} ${edgeLabelSize}px ${edgeLabelFont}`;
    if (!this.#edgePlaces.has(key) && this.#taken !== undefined) {
      const width = context.measureText(label).width + 2 * LINE_GAP_PX;
      const height = edgeLabelSize + LINE_GAP_PX;
      this.#edgePlaces.set(key, placeOnEdge({ from, to, width }, { height, taken: this.#taken }));
    }
    const place = this.#edgePlaces.get(key);
    if (place === undefined) {
      const room = this.#picture.room();
      this.hasLeftOut ||= isInside(from, room) && isInside(to, room);
      return;
    }
    context.fillStyle = this.#look.paper;
    context.fillRect(place.left, place.top, place.width, place.height);
    context.fillStyle = this.#look.ink;
    context.fillText(label, place.left + LINE_GAP_PX, baselineOf(place, edgeLabelSize));
  };

  readonly drawHover: NodeHoverDrawingFunction<Node, Edge> = (context, data, settings) => {
    this.draw();
    const { key = '', x, y, size } = data as Gathered;
    const label = this.#picture.nameOf(key);
    const { labelSize, labelFont, labelWeight } = settings;
    const { accent, paper, ink } = this.#look;
    context.strokeStyle = accent;
    context.lineWidth = 2;
    context.beginPath();
    context.arc(x, y, size + 1, 0, Math.PI * 2);
    context.stroke();
    context.font = `${labelWeight} ${labelSize}px ${labelFont}`;
    const [width, height] = [context.measureText(label).width, labelSize + LINE_GAP_PX];
    const [alone] = placeNames([{ x, y, size, width, isNeeded: true }], { room: this.#picture.room(), height });
    const place = this.#places.get(key) ?? alone;
    if (place === undefined) return;
    const frame = [place.left - PADDING_PX, place.top - 1, place.width + 2 * PADDING_PX, place.height + 2] as const;
    context.fillStyle = paper;
    context.fillRect(...frame);
    context.lineWidth = 1;
    context.strokeRect(...frame);
    context.fillStyle = ink;
    context.fillText(label, place.left, baselineOf(place, labelSize));
  };

  #drawRing(context: CanvasRenderingContext2D, node: Gathered): void {
    const { x, y, size, ring } = roundRing(node);
    if (ring === undefined) return;
    const isStart = ring === 'start';
    context.strokeStyle = isStart ? this.#look.ink : this.#look.quiet;
    context.lineWidth = isStart ? 2 : 1.5;
    context.setLineDash(isStart ? [] : [3, 2]);
    context.beginPath();
    context.arc(x, y, size, 0, Math.PI * 2);
    context.stroke();
    context.setLineDash([]);
  }
}

const weightOf = ({ highlighted, ring, zIndex = 0, size }: Gathered): number =>
  (highlighted ? 4_000 : 0) + (ring === 'start' ? 2_000 : 0) + zIndex + size / 100;

const baselineOf = ({ top, height }: Rectangle, labelSize: number): number => top + height / 2 + labelSize / 3;

interface Picture {
  readonly room: () => Room;
  readonly nodes: () => Iterable<readonly [id: string, Disc]>;
  readonly ties: (id: string) => readonly Tie[];
  readonly nameOf: (id: string) => string;
}

export const pictureOf = (
  graph: MultiDirectedGraph<NodeAttributes, EdgeAttributes>,
  sigma: () => Sigma<NodeAttributes, EdgeAttributes>,
): Picture => ({
  room: () => sigma().getDimensions(),
  nodes: () => discsOf(graph, sigma()),
  ties: (id) => tiesOf(id, graph, sigma()),
  nameOf: (id) => graph.getNodeAttribute(id, 'label'),
});

type Drawn = Sigma<NodeAttributes, EdgeAttributes>;

function* discsOf(graph: MultiDirectedGraph, sigma: Drawn): Iterable<readonly [string, Disc]> {
  for (const id of graph.nodes()) {
    const node = sigma.getNodeDisplayData(id);
    if (node === undefined || node.hidden) continue;
    yield [id, { ...sigma.framedGraphToViewport(node), size: sigma.scaleSize(node.size) }];
  }
}

function tiesOf(id: string, graph: MultiDirectedGraph, sigma: Drawn): Tie[] {
  const ties: Tie[] = [];
  graph.forEachEdge(id, (_key, _edge, from, to) => {
    const other = sigma.getNodeDisplayData(to === id ? from : to);
    if (other === undefined || other.hidden) return;
    ties.push({ ...sigma.framedGraphToViewport(other), isArrival: to === id });
  });
  return ties;
}
