import { describe, expect, it } from 'vitest';
import { type LayoutAnswer, type LayoutRequest, serveLayout } from './layout-service.ts';

const start = (turn: number, isStill = false): LayoutRequest => {
  const node = (x: number) => [x, 0, 0, 0, 0, 0, 2, 1, 1, 0];
  return {
    kind: 'start',
    turn,
    isStill,
    nodes: Float32Array.from([...node(-400), ...node(400)]),
    edges: Float32Array.from([0, 10, 1]),
  };
};

function serve() {
  const { port1, port2 } = new MessageChannel();
  serveLayout(port1 as never);
  const answers: LayoutAnswer[] = [];
  const settled = new Promise<LayoutAnswer>((settle) => {
    port2.onmessage = ({ data }: MessageEvent<LayoutAnswer>) => {
      answers.push(data);
      if (data.isSettled) settle(data);
      else port2.postMessage({ kind: 'next' } satisfies LayoutRequest);
    };
  });
  const end = () => port2.close();
  return { ask: (request: LayoutRequest) => port2.postMessage(request), answers, settled, end };
}

describe('the layout of a graph', () => {
  it('moves nodes until they have settled', async () => {
    const { ask, settled, end } = serve();
    ask(start(1));
    const { turn, nodes } = await settled;
    end();
    expect(turn).toBe(1);
    expect(Math.abs((nodes[10] ?? 0) - (nodes[0] ?? 0))).toBeLessThan(800);
  });

  it('answers but once where nothing is to be seen moving', async () => {
    const { ask, answers, settled, end } = serve();
    ask(start(1, true));
    await settled;
    end();
    expect(answers).toHaveLength(1);
  });
});
