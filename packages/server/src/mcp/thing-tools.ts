// Tools that read records.
import type { Tools } from './tool.ts';
import { byWay } from './tool-way.ts';
import { withShapeHint } from './unknown-shape.ts';

/** Where a graph is cut off, it has no next page. */
const BEYOND =
  'There are more records than limit. Raise it (at most 500), lower depth, choose a direction, ask again from one of the nodes, or list all references of a record in pages with refs: true.';

const graph = byWay('thing_graph');
const changes = byWay('thing_changes');

type ThingTool = 'thing_query' | 'thing_get' | 'thing_about' | 'thing_graph' | 'thing_changes' | 'commit_log';

export const THING_TOOLS: Pick<Tools, ThingTool> = {
  thing_query: (call, input) => withShapeHint(call, input, () => call('thing.query', input)),
  thing_get: byWay('thing_get'),
  thing_about: (call, input) => withShapeHint(call, input, () => call('thing.about', input)),
  thing_graph: async (call, input) => {
    const answer = await graph(call, input);
    return 'truncated' in answer && answer.truncated === true ? { ...answer, hint: BEYOND } : answer;
  },
  thing_changes: (call, input) => withShapeHint(call, input, () => changes(call, input)),
  commit_log: byWay('commit_log'),
};
