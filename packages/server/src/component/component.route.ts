// The component routes of the REST API (spec 4.5): the install handshake and the methods of installed components.
import { cliBody, resolveBody, setupCallBody } from '@cairn/protocol/component';
import { CairnError, fail } from '@cairn/protocol/errors';
import { componentName } from '@cairn/protocol/manifest';
import { ORGANIZATION_NAME } from '@cairn/protocol/names';
import type { z } from 'zod';
import { answerJson } from '../http/answer.ts';
import {
  type Answered,
  type Exchange,
  operationContext,
  parseBody,
  type RouteHandler,
  readBody,
} from '../http/exchange.ts';
import { resolveComponent, setupCall } from './call.ts';
import { execCommand } from './command.ts';

const HEADERS = { 'cache-control': 'private, no-cache', vary: 'Authorization' };
const BODY_DEPTH_MAX = 64;
const NO_COMPONENT = 'The repository or the component does not exist, or you may not see it. Check both names.';
const NO_METHOD =
  'The repository, the component or the method does not exist, or you may not see it. Check all three names.';

export const resolve: RouteHandler = async (c) => {
  const { installRepo } = await read(c, resolveBody);
  const request = { component: componentIn(c), installRepo: parseInstallRepo(installRepo) };
  return await answered(c, resolveComponent(operationContext(c), request), NO_COMPONENT);
};

export const setup: RouteHandler = async (c) => {
  const { installRepo, ...expected } = await read(c, setupCallBody);
  const request = { component: componentIn(c), installRepo: parseInstallRepo(installRepo), ...expected };
  return await answered(c, setupCall(operationContext(c), request), NO_COMPONENT);
};

export const command: RouteHandler = async (c) => {
  const { installRepo, args } = await read(c, cliBody);
  const { orgName, name } = componentIn(c);
  const method = c.params.method ?? '';
  const request = { ...parseInstallRepo(installRepo), component: `${orgName}/${name}`, method, args };
  return await answered(c, execCommand(operationContext(c), request), NO_METHOD);
};

/** Validates the body before any lookup, so that errors reveal nothing about existing data. */
async function read<Body extends z.ZodType>(c: Exchange, body: Body): Promise<z.output<Body>> {
  const maxBytes = c.deps.settings.limits.jsonBodyBytes;
  const text = await readBody(c, { contentType: 'application/json', maxBytes });
  return body.parse(parseBody(text, BODY_DEPTH_MAX));
}

/** An impossible name gives the same 404 as a missing component. */
function componentIn(c: Exchange): { orgName: string; name: string } {
  const { orgName = '', componentName: name = '' }: Readonly<Record<string, string>> = c.params;
  const isPossible = ORGANIZATION_NAME.test(orgName) && componentName.safeParse(name).success;
  return isPossible ? { orgName, name } : { orgName: '', name: '' };
}

function parseInstallRepo(installRepo: string): { orgName: string; repoName: string } {
  const [orgName = '', repoName = ''] = installRepo.split('/');
  return { orgName, repoName };
}

/** All 404s of a route are the same, so that callers cannot tell which part is missing. */
async function answered(c: Exchange, asked: Promise<object>, missing: string): Promise<Answered> {
  const body = await asked.catch((error: unknown) => {
    throw error instanceof CairnError && error.code === 'NOT_FOUND'
      ? fail('NOT_FOUND', { message: missing, cause: error })
      : error;
  });
  return await answerJson(c, body, { headers: HEADERS });
}
