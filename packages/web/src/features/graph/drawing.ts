import { MultiDirectedGraph } from 'graphology';
import Sigma from 'sigma';
import type { Settings } from 'sigma/settings';
import { plain } from '../../ui/unseen.ts';
import { type Point, placeBeside, roundOf } from './label-place.ts';
import { Labels, pictureOf } from './labels.ts';
import { Layout } from './layout.ts';
import {
  type EdgeAttributes,
  edgeLook,
  type Look,
  type Marks,
  type NodeAttributes,
  nodeLook,
  readLook,
  type Scene,
  UNMARKED,
} from './look.ts';
import { createRingedArrow } from './ringed-arrow.ts';
import { labelOf, type WalkNode, type WalkState } from './walk-state.ts';

export interface DrawingEvents {
  readonly onSelect: (id: string | undefined) => void;
  readonly onExpand: (id: string) => void;
  readonly onSettled: () => void;
  readonly onNamed: (hasLeftOut: boolean) => void;
  readonly onWheel: (isZoom: boolean) => void;
}

const NODE_SIZES = [
  { most: 60, size: 8 },
  { most: 600, size: 5 },
];
const NODE_SIZE_LEAST = 2;
const NODE_SIZE_GAIN = 10;
const LABEL_CHARACTERS = 48;
const EDGE_PX = 12;
const NAMED_SMALL = 200;
const NAMED_SIZE_LEAST = 6;

export class Drawing {
  readonly #graph = new MultiDirectedGraph<NodeAttributes, EdgeAttributes>();
  readonly #sigma: Sigma<NodeAttributes, EdgeAttributes>;
  readonly #labels: Labels<NodeAttributes, EdgeAttributes>;
  readonly #layout: Layout;
  readonly #container: HTMLElement;
  readonly #isStill: boolean;
  /** Positions of hidden records, which may return at another sequence. */
  readonly #places: Map<string, Point>;
  #marks: Marks = UNMARKED;
  readonly #onWheel: (event: WheelEvent) => void;
  #near = new Set<string>();
  #look: Look;

  constructor(container: HTMLElement, places: Map<string, Point>, events: () => DrawingEvents) {
    this.#container = container;
    this.#places = places;
    this.#look = readLook(container);
    this.#isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.#labels = new Labels(
      this.#look,
      pictureOf(this.#graph, () => this.#sigma),
    );
    this.#sigma = new Sigma(this.#graph, container, {
      ...settingsOf(this.#look),
      defaultDrawNodeLabel: this.#labels.gather,
      defaultDrawNodeHover: this.#labels.drawHover,
      defaultDrawEdgeLabel: this.#labels.drawEdgeLabel,
      edgeProgramClasses: { arrow: createRingedArrow<NodeAttributes, EdgeAttributes>() },
      nodeReducer: (id, attributes) => nodeLook(id, attributes, this.#scene),
      edgeReducer: (id, attributes) => edgeLook(attributes, this.#isTied(id), this.#scene),
    });
    this.#layout = new Layout(this.#graph, { isStill: this.#isStill, onSettled: () => events().onSettled() });
    this.#sigma.on('afterRender', () => {
      this.#labels.draw();
      events().onNamed(this.#labels.hasLeftOut);
    });
    this.#sigma.on('clickNode', ({ node }) => events().onSelect(node));
    this.#sigma.on('clickStage', () => events().onSelect(undefined));
    this.#sigma.on('doubleClickNode', ({ node, preventSigmaDefault }) => {
      preventSigmaDefault();
      events().onExpand(node);
    });
    this.#onWheel = (event) => {
      const isZoom = event.ctrlKey || event.metaKey;
      if (!isZoom) event.stopPropagation();
      events().onWheel(isZoom);
    };
    // Must run before Sigma's own handler, which keeps the page from scrolling.
    container.addEventListener('wheel', this.#onWheel, { capture: true, passive: true });
  }

  hold({ nodes, edges }: WalkState): boolean {
    let isChanged = this.#dropGone(nodes, edges);
    isChanged = this.#addNew(nodes, edges) || isChanged;
    if (!isChanged) return false;
    this.#sigma.setSetting('labelRenderedSizeThreshold', this.#graph.order <= NAMED_SMALL ? 0 : NAMED_SIZE_LEAST);
    this.#graph.updateEachNodeAttributes((id, attributes) => ({ ...attributes, size: this.#sizeOf(id) }));
    this.#layout.run();
    return true;
  }

  mark(marks: Marks): void {
    this.#marks = marks;
    const { selected } = marks;
    this.#near = new Set(
      selected !== undefined && this.#graph.hasNode(selected) ? this.#graph.neighbors(selected) : [],
    );
    this.#sigma.refresh({ schedule: true });
  }

  show(id: string): void {
    // The position is known after the next render.
    this.#sigma.once('afterRender', () => {
      const place = this.#sigma.getNodeDisplayData(id);
      if (place !== undefined && !this.#isInSight(place)) this.#move({ x: place.x, y: place.y });
    });
    this.#sigma.scheduleRender();
  }

  #isInSight(place: { readonly x: number; readonly y: number }): boolean {
    const { x, y } = this.#sigma.framedGraphToViewport(place);
    const { width, height } = this.#sigma.getDimensions();
    return x > EDGE_PX && y > EDGE_PX && x < width - EDGE_PX && y < height - EDGE_PX;
  }

  zoomBy(factor: number): void {
    const ratio = this.#sigma.getCamera().ratio * factor;
    const { selected } = this.#marks;
    const place = selected === undefined ? undefined : this.#sigma.getNodeDisplayData(selected);
    const isAround = place !== undefined && this.#isInSight(place);
    this.#move(
      isAround ? this.#sigma.getViewportZoomedState(this.#sigma.framedGraphToViewport(place), ratio) : { ratio },
    );
  }

  fit(): void {
    this.#move({ x: 0.5, y: 0.5, ratio: 1, angle: 0 });
  }

  recolour(): void {
    this.#look = readLook(this.#container);
    this.#labels.recolour(this.#look);
    this.#sigma.setSettings(settingsOf(this.#look));
  }

  end(): void {
    this.#layout.end();
    this.#container.removeEventListener('wheel', this.#onWheel, { capture: true });
    this.#graph.forEachNode((id, { x, y }) => this.#places.set(id, { x, y }));
    this.#sigma.kill();
  }

  #move(state: { x?: number; y?: number; ratio?: number; angle?: number }): void {
    const camera = this.#sigma.getCamera();
    if (this.#isStill) camera.setState(state);
    else void camera.animate(state, { duration: 250 });
  }

  #dropGone(nodes: WalkState['nodes'], edges: WalkState['edges']): boolean {
    const goneEdges = this.#graph.filterEdges((key) => !edges.has(key));
    const goneNodes = this.#graph.filterNodes((id) => !nodes.has(id));
    for (const key of goneEdges) this.#graph.dropEdge(key);
    for (const id of goneNodes) {
      const { x, y } = this.#graph.getNodeAttributes(id);
      this.#places.set(id, { x, y });
      this.#graph.dropNode(id);
    }
    return goneEdges.length + goneNodes.length > 0;
  }

  #addNew(nodes: WalkState['nodes'], edges: WalkState['edges']): boolean {
    const before = this.#graph.order + this.#graph.size;
    for (const { from, to } of edges.values()) {
      if (!this.#graph.hasNode(from)) this.#add(nodes.get(from), this.#placeNextTo(to));
      if (!this.#graph.hasNode(to)) this.#add(nodes.get(to), this.#placeNextTo(from));
    }
    // Unconnected nodes start outside, or they would seem to lie on a line.
    const { middle, radius } = roundOf(this.#graph.mapNodes((_, place) => place));
    for (const node of nodes.values()) {
      if (!this.#graph.hasNode(node.id)) this.#add(node, placeBeside(middle, this.#graph.order, radius));
      else if (this.#graph.getNodeAttribute(node.id, 'label') !== namesOf(node).label) {
        this.#graph.mergeNodeAttributes(node.id, namesOf(node));
      }
    }
    for (const edge of edges.values()) {
      if (this.#graph.hasEdge(edge.key)) continue;
      this.#graph.addEdgeWithKey(edge.key, edge.from, edge.to, { label: plain(labelOf(edge), LABEL_CHARACTERS) });
    }
    return this.#graph.order + this.#graph.size > before;
  }

  #add(node: WalkNode | undefined, place: Point): void {
    if (node === undefined) return;
    const { x, y } = this.#places.get(node.id) ?? place;
    this.#graph.addNode(node.id, { x, y, size: NODE_SIZE_LEAST, ...namesOf(node) });
  }

  #placeNextTo(id: string): Point {
    const centre = this.#graph.hasNode(id) ? this.#graph.getNodeAttributes(id) : { x: 0, y: 0 };
    return placeBeside(centre, this.#graph.order);
  }

  #sizeOf(id: string): number {
    const { size } = NODE_SIZES.find(({ most }) => this.#graph.order <= most) ?? { size: NODE_SIZE_LEAST };
    return size + Math.min(NODE_SIZE_GAIN, Math.sqrt(this.#graph.degree(id)));
  }

  get #scene(): Scene {
    return { marks: this.#marks, look: this.#look, near: this.#near, count: this.#graph.order };
  }

  #isTied(edge: string): boolean {
    const { selected } = this.#marks;
    return selected !== undefined && this.#graph.hasExtremity(edge, selected);
  }
}

function namesOf({ name, shape, isRetracted }: WalkNode) {
  const label = plain(name, LABEL_CHARACTERS);
  return { name, shape, isRetracted, label: isRetracted ? `${label} (retracted)` : label };
}

const settingsOf = (look: Look): Partial<Settings<NodeAttributes, EdgeAttributes>> => ({
  allowInvalidContainer: true,
  zIndex: true,
  defaultEdgeType: 'arrow',
  renderEdgeLabels: true,
  labelFont: look.font,
  edgeLabelFont: look.font,
  labelSize: 13,
  edgeLabelSize: 12,
  labelDensity: 1,
  labelGridCellSize: 80,
  labelColor: { color: look.ink },
  edgeLabelColor: { color: look.ink },
  stagePadding: 40,
});
