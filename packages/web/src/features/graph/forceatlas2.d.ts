// The layout without the package's worker, which is built from a string: the content security policy forbids that.
declare module 'graphology-layout-forceatlas2/iterate.js' {
  import type { ForceAtlas2Settings } from 'graphology-layout-forceatlas2';

  function iterate(settings: Required<ForceAtlas2Settings>, nodes: Float32Array, edges: Float32Array): object;
  export = iterate;
}

declare module 'graphology-layout-forceatlas2/helpers.js' {
  import type { AbstractGraph } from 'graphology-types';

  const helpers: {
    graphToByteArrays(
      graph: AbstractGraph,
      getEdgeWeight: () => number,
    ): { readonly nodes: Float32Array; readonly edges: Float32Array };
    assignLayoutChanges(graph: AbstractGraph, nodes: Float32Array, outputReducer: null): void;
  };
  export = helpers;
}
