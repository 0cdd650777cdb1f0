// User-written text is always displayed as text: no script runs, and nothing violates the content security policy.
import type { CairnClient } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import type { Visit } from '../support/chromium.ts';
import { detail, expectWellMade, openExplorer, SIZES } from '../support/explorer.ts';

const RUNS = 'window.ran=1';
const SCRIPT = `<script>${RUNS}</script><img src=x onerror=${RUNS}><svg onload=${RUNS}>`;
const TURNED = 'left\u202eright\u2066in\u2069\u200b\ufeffend';
const LONG = 'long '.repeat(200_000);
const NAME = `Note/<svg-onload=${RUNS}>`;
const TURNED_NAME = 'Note/gnp.\u05d0\u05d1txt';

const README = `# Read me ${SCRIPT}

[a](javascript:${RUNS}) [b](data:text/html,<script>${RUNS}</script>) [c](vbscript:x) ![d](https://elsewhere.example/x.png)
<iframe src="javascript:${RUNS}"></iframe>

<style>body{display:none}</style> &lt;script&gt; ${TURNED}

| a | ${SCRIPT.replaceAll('|', '')} |
| --- | --- |
| <b onclick="${RUNS}">b</b> | ${TURNED} |
`;

async function fill(client: CairnClient): Promise<void> {
  await client.org.update('ada', { displayName: '<b>Ada</b>', description: '<i>ada</i>' });
  await client.repo.create('ada', 'hostile', { visibility: 'public', description: '<script>window.ran=1</script>' });
  await client.commit.submit('ada', 'hostile', {
    message: `${SCRIPT} ${TURNED}`,
    operations: [
      {
        kind: 'shape',
        name: 'Note',
        data: {
          description: SCRIPT,
          fields: {
            text: { type: 'string', description: SCRIPT },
            'other?': 'wref',
            [`<img src=x onerror=${RUNS}>?`]: 'json',
          },
        },
      },
      { name: 'Content/Readme', data: { content: README } },
      { name: NAME, data: { text: SCRIPT } },
      { name: TURNED_NAME, data: { text: TURNED, other: NAME } },
      {
        name: 'Note/long',
        data: { text: LONG, [`<img src=x onerror=${RUNS}>`]: { __proto__x: SCRIPT, 'javascript:1': [TURNED, SCRIPT] } },
      },
      { name: 'Note/said', about: NAME, data: { text: SCRIPT } },
    ],
  });
  await client.commit.submit('ada', 'hostile', {
    message: TURNED,
    operations: [
      { operation: 'revise', name: NAME, data: { text: `${SCRIPT}!` } },
      { operation: 'retract', name: 'Note/long', reason: SCRIPT },
    ],
  });
}

const encoded = (name: string) => name.split('/').map(encodeURIComponent).join('/');
const at = `/ada/hostile`;
const PAGES: readonly (readonly [string, string | RegExp])[] = [
  ['/', '<script>'],
  ['/ada', '<i>ada</i>'],
  [at, 'Read me'],
  [`${at}/records`, NAME],
  [`${at}/records?shape=Note&retracted=true`, 'Note/long'],
  [`${at}/records?q=window.ran`, NAME],
  [`${at}/record/${encoded(NAME)}`, '<script>'],
  [`${at}/record/${encoded(TURNED_NAME)}`, 'U+202E'],
  [`${at}/record/Note/long`, 'Show all'],
  [`${at}/shapes`, '<script>'],
  [`${at}/shapes/Note`, `<img src=x onerror=${RUNS}>`],
  [`${at}/commits`, '<script>'],
  [`${at}/commits/1`, NAME],
  [`${at}/commits/2?operation=0`, NAME],
  [`${at}/graph?from=${encodeURIComponent(NAME)}`, NAME],
  [`${at}/export`, 'Export'],
];

async function expectNothingRan({ page }: Visit): Promise<void> {
  expect(await page.evaluate('window.ran')).toBeUndefined();
}

const WRITING: readonly (readonly [string, string | RegExp])[] = [
  [`${at}/new?shape=Note`, `<img src=x onerror=${RUNS}>`],
  [`${at}/new?kind=assertion&shape=Note&about=${encodeURIComponent(NAME)}`, 'The record that the assertion is about.'],
  [`${at}/edit/${encoded(NAME)}`, NAME],
  [`${at}/edit/${encoded(TURNED_NAME)}?step=rename`, TURNED_NAME],
  [`${at}/edit/Note/long`, 'This record is retracted.'],
  [`${at}/edit-shape/Note`, `Field <img src=x onerror=${RUNS}>`],
  [`${at}/edit-text/readme`, 'Read me'],
  [`${at}/settings`, 'Settings'],
  [`${at}/operate/subscriptions/-/new`, /latest/],
  [`/ada/-/settings`, 'Settings'],
];

describe.each(SIZES)('on a $device', ({ size }) => {
  it('hostile content is text on every page', async () => {
    const { url, visit } = await openExplorer(fill);
    const visitor = await visit({ size });
    const { page } = visitor;
    page.on('dialog', (dialog) => void dialog.dismiss().then(() => visitor.complaints.push('a dialog')));
    for (const [path, text] of PAGES) {
      await page.goto(`${url}${path}`);
      await page.getByText(text).first().waitFor();
      await expectNothingRan(visitor);
      await expectWellMade(visitor);
    }
    const links = await page
      .locator('a[href^="javascript:"], a[href^="data:"], img[src^="http"], iframe, style')
      .count();
    expect(links).toBe(0);
  });

  detail('hostile content is text where it is written', async () => {
    const { url, visit } = await openExplorer(fill);
    const visitor = await visit({ size, signedIn: true });
    const { page } = visitor;
    page.on('dialog', (dialog) => void dialog.accept());
    for (const [path, text] of WRITING) {
      await page.goto(`${url}${path}`);
      await page.getByText(text).first().waitFor();
      await expectNothingRan(visitor);
      await expectWellMade(visitor);
    }
    await page.goto(`${url}${at}/edit/${encoded(NAME)}`);
    await page.getByLabel('text').fill(`${TURNED}\n${SCRIPT}`);
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByText('U+202E').first().waitFor();
    await expectNothingRan(visitor);
    await expectWellMade(visitor);
  });
});
