// The colours of the page, for what is drawn and not styled.
import { COLOURS } from './palette.ts';

export interface Look {
  readonly ink: string;
  readonly quiet: string;
  readonly paper: string;
  readonly line: string;
  readonly faint: string;
  readonly accent: string;
  readonly font: string;
  readonly shapes: readonly string[];
}

export function readLook(element: HTMLElement): Look {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: colour('ink'),
    quiet: colour('quiet'),
    paper: colour('paper'),
    line: colour('graph-line'),
    faint: colour('line'),
    accent: colour('accent'),
    font: style.fontFamily,
    shapes: Array.from({ length: COLOURS }, (_, index) => colour(`shape-${index + 1}`)),
  };
}
