// The alerts of docs/operate.md, checked against the metrics of a server.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, startTestServer } from './support/server.ts';
import { UPPER_ENGINES } from './support/store.ts';

const METRICS_TOKEN = 'a token for metrics, of 32 characters or more';
const OTHERS = ['up', 'probe_success', 'node_filesystem_avail_bytes', 'node_filesystem_size_bytes'];
/** Prometheus adds these labels to every sample. */
const OF_PROMETHEUS = ['job', 'instance'];

const section = /^## Alerts$.*?(?=^## )/ms.exec(readFileSync(join(ROOT, 'docs/operate.md'), 'utf8'))?.[0] ?? '';
const rules = /^```yaml$(.*?)^```$/ms.exec(section)?.[1] ?? '';
const expressions = rules.split(/^ *- alert: /m).slice(1);

interface Selector {
  readonly name: string;
  readonly matchers: readonly { label: string; equals: string | undefined }[];
}

const selectors: Selector[] = [...expressions.join('').matchAll(/([a-z_]\w*)\{([^}]*)\}/g)].map(
  ([, name = '', labels = '']) => ({
    name,
    matchers: [...labels.matchAll(/(\w+)(=~|=)"([^"]*)"/g)].map(([, label = '', operator, value]) => ({
      label,
      equals: operator === '=' ? value : undefined,
    })),
  }),
);

async function readMetrics(engine: (typeof UPPER_ENGINES)[number]): Promise<string> {
  const { url } = await startTestServer(engine, { CAIRN_METRICS_TOKEN: METRICS_TOKEN });
  // Request metrics appear only after the first request.
  await fetch(`${url}/health/ready`);
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  return await answer.text();
}

/** True if a sample of the metric has the label, with the given value if there is one. */
function hasLabel(metrics: string, name: string, { label, equals }: Selector['matchers'][number]): boolean {
  const value = equals ?? '[^"]*';
  return new RegExp(`^${name}\\{(?:[^}]*,)?${label}="${value}"`, 'm').test(metrics);
}

describe('the alerts of docs/operate.md', () => {
  it('have something to do each', () => {
    const alerts = expressions.map((rule) => /^\w+/.exec(rule)?.[0]);
    const told = [...section.matchAll(/^\| `(\w+)` \| [^|]{40,} \|$/gm)].map(([, alert]) => alert);
    expect(alerts.length).toBeGreaterThan(6);
    expect(told).toEqual(alerts);
  });

  it.each(UPPER_ENGINES)('ask for metrics and labels that a server gives, on %s', async (engine) => {
    const metrics = await readMetrics(engine);
    const asked = selectors.filter(({ name }) => !OTHERS.includes(name));
    expect(asked.length).toBeGreaterThan(6);
    expect(asked.filter(({ name }) => !new RegExp(`^${name}[ {]`, 'm').test(metrics))).toEqual([]);
    const unknown = asked.flatMap(({ name, matchers }) =>
      matchers
        .filter(({ label }) => !OF_PROMETHEUS.includes(label))
        .filter((matcher) => !hasLabel(metrics, name, matcher)),
    );
    expect(unknown).toEqual([]);
    const grouped = [...rules.matchAll(/by \(([^)]*)\) \((\w+)/g)].flatMap(([, labels = '', name = '']) =>
      labels.split(', ').map((label) => ({ name, label, equals: undefined })),
    );
    expect(
      grouped.filter(({ name, ...one }) => !OF_PROMETHEUS.includes(one.label) && !hasLabel(metrics, name, one)),
    ).toEqual([]);
  });

  it('name a metric in every expression', () => {
    expect(expressions.filter((rule) => !selectors.some(({ name }) => rule.includes(`${name}{`)))).toEqual([]);
  });
});
