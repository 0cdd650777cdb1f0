// A new user without documentation: from the set-up link to the demo repository, its history and its graph.
import { expect, it } from 'vitest';
import { issueSetupCode } from '../../packages/server/src/account/account.ts';
import { startBrowser } from '../support/chromium.ts';
import { expectWellMade, SIZES } from '../support/explorer.ts';
import { OWNER, startTestServer } from '../support/server.ts';

it.each(SIZES)('gets from the set-up link to the history and the graph of the demo on a $device', async ({ size }) => {
  const { url, store } = await startTestServer('sqlite', { CAIRN_LIMIT_ANONYMOUS_REQUESTS_PER_HOUR: '0' });
  const visit = await (await startBrowser())({ size });
  const { page } = visit;
  await page.goto(`${url}/auth/setup?code=${await issueSetupCode(store)}`);
  await page.getByRole('textbox', { name: 'Email', exact: true }).fill(OWNER.email);
  // An invalid handle gets an explanation and a valid suggestion.
  await page.getByLabel(/^Handle/).fill('Ada Lovelace');
  await page.getByLabel(/^Password/).fill(OWNER.password);
  await page.getByRole('button', { name: 'Create the owner' }).click();
  await page.getByRole('alert').getByText('You could use ada-lovelace').waitFor();
  expect(await page.getByLabel(/^Handle/).inputValue()).toBe('ada-lovelace');
  expect(visit.complaints.splice(0)).toEqual([expect.stringContaining('status of 400')]);
  await page.getByLabel(/^Handle/).fill(OWNER.name);
  await page.getByLabel(/^Password/).fill(OWNER.password);
  await page.getByRole('button', { name: 'Create the owner' }).click();
  const token = page.locator('pre.secret');
  await token.click();
  expect(await page.evaluate('getSelection().toString()')).toBe(await token.innerText());
  await expectWellMade(visit);
  await page.getByRole('heading', { name: 'For scripts and agents: a token' }).waitFor();
  await page.getByText('cairn auth login --url http').waitFor();
  expect(await page.getByRole('main').getByRole('link', { name: 'Tokens' }).getAttribute('href')).toBe('/-/tokens');
  await page.getByRole('link', { name: 'Open the explorer' }).click();
  await page.getByRole('button', { name: 'Create demo repository' }).click();
  await page.getByRole('heading', { name: 'A small valley' }).waitFor();
  await page.getByRole('link', { name: 'Add a record' }).waitFor();
  await page.getByRole('link', { name: 'Import a file' }).waitFor();
  await expectWellMade(visit);
  // The readme links to the records that it mentions.
  const readme = page.getByRole('region', { name: 'Readme' });
  await readme.getByRole('link', { name: 'Location/cave' }).click();
  await page.getByRole('heading', { level: 1, name: 'Location/cave' }).waitFor();
  await page.goBack();
  await readme.getByRole('link', { name: 'before the storm' }).click();
  await page.waitForURL(/\/valley\/records\?at=6$/);
  await page.getByRole('link', { name: 'Location/bridge', exact: true }).waitFor();
  await page.goBack();
  await readme.getByRole('link', { name: 'Graph' }).click();
  await page.waitForURL(/\/valley\/graph$/);
  await page.goBack();
  const pages = page.getByRole('navigation', { name: 'Repository' });
  await pages.getByRole('link', { name: 'Commits' }).click();
  await page.getByRole('link', { name: /After the storm/ }).click();
  await page.getByText('Location/bridge').first().waitFor();
  await page.getByRole('link', { name: 'Location/bridge' }).first().click();
  await page.getByText('washed away').first().waitFor();
  // Before the storm the bridge stands.
  await page.getByRole('slider').fill('6');
  await page.waitForURL(/[?&]at=6/);
  await page.getByRole('heading', { level: 1, name: 'Location/bridge' }).waitFor();
  await expect.poll(() => page.getByText('washed away').count()).toBe(0);
  await page.getByRole('button', { name: 'Back to now' }).click();
  await pages.getByRole('link', { name: 'Records' }).click();
  await page.getByRole('link', { name: 'Location/cave', exact: true }).click();
  await page.getByText('I slept there').first().waitFor();
  await page.getByText('The roof has come down at the back').first().waitFor();
  await page.getByRole('link', { name: /graph/i }).last().click();
  await page.getByRole('img', { name: /records/ }).waitFor();
  await expectWellMade(visit);
});
