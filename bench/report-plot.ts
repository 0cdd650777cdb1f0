// Plots of the curves: one for each work, with a line for each engine, as SVG that needs neither a script nor a font.
import { LineChart } from 'echarts/charts';
import { GridComponent, LegendComponent, TitleComponent } from 'echarts/components';
import * as echarts from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import type { CurveResult } from './results.ts';

echarts.use([LineChart, GridComponent, LegendComponent, TitleComponent, SVGRenderer]);

/** The curves of one work, on each engine. */
export interface Plot {
  readonly name: string;
  readonly unit: string;
  readonly file: string;
  readonly curves: readonly CurveResult[];
}

const WIDTH = 640;
const HEIGHT = 320;
const FRAME = { left: 75, right: 50, top: 60, bottom: 50 };
const TITLE_PX = 15;
const NAME_GAP = 30;
/** Told apart by shape too, for who does not see the colours. */
const LINES = {
  sqlite: { name: 'SQLite', color: '#0b6e4f', symbol: 'circle' },
  postgres: { name: 'PostgreSQL', color: '#b3541e', symbol: 'rect' },
} as const satisfies Record<CurveResult['engine'], object>;
const SYMBOL_PX = 7;

export function plotsOf(curves: readonly CurveResult[]): Plot[] {
  const names = [...new Set(curves.map(({ name }) => name))];
  return names.map((name) => {
    const of = curves.filter((curve) => curve.name === name);
    return { name, unit: of[0]?.unit ?? '', file: `${name.replaceAll(' ', '-')}.svg`, curves: of };
  });
}

export function plotOf({ name, unit, curves }: Plot): string {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height: HEIGHT });
  chart.setOption({
    animation: false,
    backgroundColor: '#ffffff',
    title: { text: `${name}, ${unit}`, left: 10, top: 10, textStyle: { fontSize: TITLE_PX } },
    legend: { right: 20, top: 12 },
    grid: FRAME,
    xAxis: {
      type: 'log',
      min: Math.min(...curves.flatMap(({ points }) => points.map(({ records }) => records))),
      name: 'records',
      nameLocation: 'middle',
      nameGap: NAME_GAP,
      axisLabel: { formatter: grouped },
    },
    yAxis: { type: 'value', min: 0, axisLabel: { formatter: grouped } },
    series: curves.map(({ engine, points }) => {
      const { name: lineName, color, symbol } = LINES[engine];
      return {
        type: 'line',
        name: lineName,
        symbol,
        symbolSize: SYMBOL_PX,
        itemStyle: { color },
        lineStyle: { color },
        data: points.map(({ records, median }) => [records, median]),
      };
    }),
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  // For who hears the plot instead of seeing it.
  return `${still(svg).replace('>', `><title>${name} at each size, ${unit}</title>`)}\n`;
}

const grouped = (value: number) => value.toLocaleString('en-US');

/**
 * Without what only a pointer needs, and without paths that cut lines where they end anyway: their names count how many charts
 * were drawn before. Styles become attributes: the server lets no page bring styles of its own.
 */
function still(svg: string): string {
  return svg
    .replaceAll(/ style="([^"]*)"/g, (_, style: string) => attributesOf(style))
    .replaceAll(/<(style|defs)[^>]*>.*?<\/\1>\n?/gs, '')
    .replaceAll(/ class="[^"]*"/g, '')
    .replaceAll(/ (pointer-events|clip-path|ecmeta_\w+)="[^"]*"/g, '');
}

function attributesOf(style: string): string {
  return style
    .split(';')
    .filter((one) => one !== '')
    .map((one) => one.split(':'))
    .map(([name = '', value = '']) => ` ${name}="${value}"`)
    .join('');
}
